/** An approval covers one exact action, once, for a limited time. */
import { expect } from 'vitest';
import type { EventBody } from '../../../src/model/events/event.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

const ID = 'escalate:approval:bound-to-exact-action-and-expiring';

function runAtGate(): Turns {
  const run = turns({
    tools: { pay: { approval_mode: 'destructive', gates: ['GATE'], retries_max: 0, produces: ['done'] } },
    agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk: 'high' })) }),
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'pay', params: { amount: 100 }, requires: ['GATE'] }])));
  return run;
}

function approval({ state }: Turns): EventBody {
  const { gateId: gate_id = '', packetHash: packet_hash = '' } = state.people.gates[0] ?? {};
  return { type: 'gate_decided', gate_id, packet_hash, decision: 'approve', approver: 'boss', reason: 'ok' };
}

verifies(ID, 'opens the gate again if one argument changed', () => {
  const run = runAtGate();
  run.say(approval(run));
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', call: { args: { amount: 100 } } }]);
  run.say(answered(run, { outcome: 'error', raw: null }));
  run.say(
    proposed(planOf([{ id: 'a', tool: 'pay', params: { amount: 101 }, requires: ['GATE'] }], { plan_id: 'plan_2' })),
  );
  expect(run.outbox).toEqual([]);
  expect(run.state.session.status).toBe('awaiting_gate');
  expect(run.state.counters.calls).toBe(1);
});

verifies(ID, 'cannot be used twice', () => {
  const run = runAtGate();
  const used = approval(run);
  run.say(used);
  expect(run.refusal(used).code).toBe('gate_closed');
  run.say(answered(run, { outcome: 'error', raw: null }));
  run.say(
    proposed(planOf([{ id: 'a', tool: 'pay', params: { amount: 101 }, requires: ['GATE'] }], { plan_id: 'plan_2' })),
  );
  expect(run.refusal(used).code).toBe('gate_closed');
  const { gateId: gate_id = '' } = run.state.people.gates[0] ?? {};
  expect(run.refusal({ ...used, gate_id } as EventBody).code).toBe('grant_stale');
  expect(run.state.counters.calls).toBe(1);
});

verifies(ID, 'a late approval is rejected: the run has already failed closed', () => {
  const run = runAtGate();
  const late = approval(run);
  run.say({ type: 'time_passed' }, 3_600_000);
  expect(run.state.ending.terminal).toMatchObject({ code: 'CONFIRM_REQUIRED', reason: 'gate_expired' });
  expect(run.refusal(late).code).toBe('session_terminal');
  expect(run.state.counters.calls).toBe(0);
});
