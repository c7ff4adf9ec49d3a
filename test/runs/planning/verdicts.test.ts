/** Tests the three verdicts of plan verification. */
import { expect } from 'vitest';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const TOOLS = { read: {}, finish: { produces: ['done'] } };
const GOOD = planOf([{ id: 'a', tool: 'finish' }]);
const FIXABLE = planOf([{ id: 'a', tool: 'teleport' }]);

const verdicts = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'plan_verified' ? [event.verdict] : []));

verifies('verify:verdict:ok-replan-reject', 'ok for a valid plan', async () => {
  const bench = rig({ tools: TOOLS, plans: [GOOD] });
  const { runId } = await bench.invoke();
  expect(verdicts(await bench.events(runId))).toEqual(['ok']);
  expect(bench.dispatches).toHaveLength(1);
});

verifies('verify:verdict:ok-replan-reject', 'replan for a fixable plan while a replan is left', async () => {
  const bench = rig({ tools: TOOLS, plans: [FIXABLE, GOOD] });
  const { runId, terminalCode } = await bench.invoke();
  expect(verdicts(await bench.events(runId))).toEqual(['replan', 'ok']);
  expect(terminalCode).toBe('SUCCESS');
});

verifies('verify:verdict:ok-replan-reject', 'reject for a problem that no plan can fix, and the run ends', async () => {
  const bench = rig({
    tools: { ...TOOLS, wipe: { approval_mode: 'destructive', gates: ['GATE_WIPE'] } },
    plans: [planOf([{ id: 'a', tool: 'wipe', requires: ['GATE_WIPE'] }])],
    // Another role may wipe; the requester is only a worker.
    agent: (agent) => ({
      ...agent,
      access: { ...agent.access, role_authority: { worker: 'local_write', owner: 'destructive' } },
    }),
    options: { limits: { onEscalate: 'end' } },
  });
  const outcome = await bench.invoke();
  expect(verdicts(await bench.events(outcome.runId))).toEqual(['reject']);
  expect(outcome).toMatchObject({ status: 'failed', reason: 'plan_rejected' });
  expect(bench.planner.requests).toHaveLength(1);
  expect(bench.dispatches).toEqual([]);
});
