/** Tests that a forbidden tool is blocked, a permitted alternative is used, and repeated attempts are escalated. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type Rig, rig } from '../rig.ts';
import { eventsOf } from './turns.ts';

const ID = 'terminate:permission-denied:block-then-alternative';
const forbidden = (n: number) => planOf([{ id: 'a', tool: 'secret', params: { n } }], { plan_id: `plan_${n}` });
const allowed = planOf([{ id: 'a', tool: 'open' }], { plan_id: 'plan_ok' });

/** Two equivalent tools, of which the identity may use one. */
function bench(plans: readonly unknown[], replans = 2): Rig {
  return rig({
    tools: { secret: { produces: ['done'] }, open: { produces: ['done'] } },
    plans,
    agent: (agent) => ({
      ...agent,
      access: { ...agent.access, tool_scopes: { secret: ['vault'], open: ['all'] } },
      budget: { ...agent.budget, overrides: { ...agent.budget.overrides, replan_attempts_max: replans } },
    }),
  });
}

verifies(ID, 'continues with a permitted equivalent', async () => {
  const trying = bench([forbidden(1), allowed]);
  const outcome = await trying.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(trying.dispatches.map(({ tool }) => tool)).toEqual(['open']);
  expect(trying.planner.requests[1]?.reason).toMatchObject({ code: 'tool_not_allowed' });
});

verifies(ID, 'ends with PERMISSION_DENIED without an alternative', async () => {
  const trying = bench([forbidden(1)], 0);
  const outcome = await trying.invoke();
  expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'PERMISSION_DENIED' });
  expect(trying.dispatches).toEqual([]);
});

verifies(ID, 'escalates the third denial to security', async () => {
  const trying = bench([forbidden(1), forbidden(2), forbidden(3)]);
  const outcome = await trying.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'repeated_denial' });
  expect(eventsOf(await trying.events(outcome.runId), 'run_escalated')).toMatchObject([
    { escalation: { trigger: 'repeated_denial', trigger_class: 'safety', recipient: 'security' } },
  ]);
  expect(trying.dispatches).toEqual([]);
});

verifies(
  'escalate:repeated-denial:block-privileged',
  'escalates with references to the denials, and requests no further plan',
  async () => {
    const trying = bench([forbidden(1), forbidden(2), forbidden(3), forbidden(4)]);
    const { runId } = await trying.invoke();
    const events = await trying.events(runId);
    expect(trying.planner.requests).toHaveLength(3);
    expect(eventsOf(events, 'plan_verified')).toHaveLength(3);
    const refs = ['ck_run_1_1', 'ck_run_1_2', 'ck_run_1_3'];
    expect(eventsOf(events, 'run_escalated')).toMatchObject([
      { escalation: { trigger: 'repeated_denial', severity: 'moderate', recipient: 'security', refs } },
    ]);
    for (const id of refs) expect((await trying.journal.checkpoint(id)).row).toMatchObject({ session_id: runId });
  },
);
