/** Tests that the response to an invalid call depends on the risk of the tool. */
import { expect } from 'vitest';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { openQuestion, planOf, type Rig, rig } from '../rig.ts';

const MALFORMED = 'gateway:registry-schema:unregistered-or-malformed';
const RISK = 'gateway:risk:response-proportional';

const NUMBER = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

function bench(tool: Partial<ToolSpec>, ...params: readonly unknown[]): Rig {
  return rig({
    tools: { act: { produces: ['done'], input_schema: NUMBER, ...tool } },
    plans: params.map((n, place) =>
      planOf(
        [
          {
            id: 'a',
            tool: 'act',
            params: { n: n as number },
            ...(tool.gates === undefined ? {} : { requires: tool.gates }),
          },
        ],
        { plan_id: `plan_${place}` },
      ),
    ),
    options: { limits: { onEscalate: 'end' } },
  });
}

verifies(RISK, 'replans an invalid read, and escalates the same mistake in a payment or a deletion', async () => {
  const reading = bench({}, 'one', 1);
  expect(await reading.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(reading.planner.requests.map(({ reason }) => reason?.code)).toEqual([undefined, 'argument_invalid']);

  for (const tool of [
    { category: 'payment', approval_mode: 'network', side_effect: true, gates: ['GATE_PAY'] },
    { category: 'live_api', approval_mode: 'destructive', side_effect: true, gates: ['GATE_DELETE'] },
  ] as const) {
    const paying = bench(tool, 'one', 1);
    const outcome = await paying.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'plan_rejected' });
    expect(paying.planner.requests).toHaveLength(1);
    expect(paying.dispatches).toEqual([]);
    const events = await paying.events(outcome.runId);
    expect(eventsOf(events, 'run_escalated')).toMatchObject([{ escalation: { reason: 'plan_rejected' } }]);
  }
});

verifies(RISK, 'asks for missing information, and ends a run that is not permitted', async () => {
  const missing = rig({
    tools: { act: { produces: ['done'], input_schema: NUMBER } },
    plans: [{ kind: 'clarification_request', question: 'Which number?', fields: ['n'] }],
  });
  expect(await missing.invoke()).toMatchObject({ status: 'paused', suspended: { code: 'MISSING_INFO' } });
  const forbidden = rig({
    tools: { act: { produces: ['done'] }, other: {} },
    plans: [planOf([{ id: 'a', tool: 'act' }])],
    agent: (agent) => ({
      ...agent,
      boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, mode_max: 'read_only', risk_max: 'low' } },
      intents: agent.intents.map((intent) => ({ ...intent, risk: 'high' as const })),
    }),
    options: { limits: { onEscalate: 'end' } },
  });
  expect(await forbidden.invoke()).toMatchObject({ terminalCode: 'PERMISSION_DENIED' });
  expect(forbidden.dispatches).toEqual([]);
});

verifies(MALFORMED, 'does not call an unknown tool, and names the available ones to the planner', async () => {
  const naming = rig({
    tools: { act: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'acct' }]), planOf([{ id: 'a', tool: 'act' }], { plan_id: 'plan_2' })],
  });
  const outcome = await naming.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(naming.dispatches.map(({ tool }) => tool)).toEqual(['act']);
  expect(naming.planner.requests[1]?.reason).toMatchObject({ code: 'hallucinated_capability' });
  expect(naming.planner.requests[1]?.reason?.message).toContain('Available: act');
  const verdicts = eventsOf(await naming.events(outcome.runId), 'plan_verified').map(({ verdict }) => verdict);
  expect(verdicts).toEqual(['replan', 'ok']);
});

verifies(MALFORMED, 'returns a wrong argument type with its reason to the planner, at most twice', async () => {
  const mending = bench({}, 'one', null, 'three', 4);
  const outcome = await mending.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL' });
  expect(mending.planner.requests).toHaveLength(3);
  for (const { reason } of mending.planner.requests.slice(1)) {
    expect(reason).toMatchObject({ code: 'argument_invalid', step_id: 'a' });
    expect(reason?.message).toContain('integer');
  }
  expect(mending.dispatches).toEqual([]);
});

verifies(MALFORMED, 'asks the user for a missing field by its name', async () => {
  const asking = rig({
    tools: { act: { produces: ['done'], input_schema: NUMBER } },
    plans: [
      { kind: 'clarification_request', question: 'Which number?', fields: ['n'] },
      planOf([{ id: 'a', tool: 'act', params: { n: 4 } }]),
    ],
  });
  const waiting = await asking.invoke();
  const { runId, suspended } = waiting;
  expect(suspended).toMatchObject({ code: 'MISSING_INFO', detail: { fields: ['n'] } });
  expect(asking.dispatches).toEqual([]);
  const answer = asking.runtime.sessions.answer(runId, openQuestion(waiting), { n: 4 }, 'user_1');
  expect(await asking.settle(answer)).toMatchObject({ terminalCode: 'SUCCESS' });
});
