/** Defects that the simulator found in gates: invalid approvals, and gates in graphs without approvers. */
import { expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/events/event.ts';
import { answered, eventsOf, proposed, type Turns, type TurnsOptions, turns } from '../../runs/endings/turns.ts';
import { planOf } from '../../runs/rig.ts';

const PAY: TurnsOptions = {
  tools: {
    pay: { produces: ['done'], approval_mode: 'destructive', gates: ['GATE_A'], side_effect: true, retries_max: 0 },
  },
};
const PLAN = planOf([{ id: 'a', tool: 'pay', requires: ['GATE_A'] }]);

function decided({ state }: Turns, decision: 'approve' | 'request_info'): EventBody {
  const gate = state.people.gates[0];
  const about = { gate_id: gate?.gateId ?? '', packet_hash: gate?.packetHash ?? '' };
  return { type: 'gate_decided', ...about, decision, approver: 'ana', reason: 'seen' };
}

const CONTINUE: EventBody = { type: 'escalation_decided', decision: 'continue', by: 'ben', reason: 'go on' };

test('a plan that is proposed again needs a new approval', () => {
  const run = turns(PAY);
  run.say(proposed(PLAN));
  run.say(decided(run, 'approve'));
  run.say(answered(run, { outcome: 'error', raw: null }));
  run.say(proposed(PLAN));
  expect(run.state.session.status).toBe('awaiting_gate');
  expect(eventsOf(run.events, 'step_attempted')).toHaveLength(1);
});

test('continuing an escalated run does not approve its plan', () => {
  const run = turns({ ...PAY, tools: { read: { produces: ['done'] } }, options: { graph: 'supervised' } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
  for (const _ of [1, 2, 3]) run.say(decided(run, 'request_info'));
  expect(run.state.session).toMatchObject({ status: 'paused', pause: { cause: 'escalated' } });
  run.say(CONTINUE);
  expect(run.state.session.status).toBe('awaiting_gate');
  expect(eventsOf(run.events, 'step_attempted')).toEqual([]);
  run.say(decided(run, 'approve'));
  expect(eventsOf(run.events, 'step_attempted')).toHaveLength(1);
});

test('a plan that arrives during a pause opens its gate when the run resumes', () => {
  const run = turns({ tools: { read: { produces: ['done'] } }, options: { graph: 'supervised' } });
  run.say({ type: 'run_paused', cause: 'operator', by: 'ops' });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
  expect(run.state.people.gates).toEqual([]);
  run.say({ type: 'run_resumed', by: 'ops', operator: true });
  expect(run.state.session.status).toBe('awaiting_gate');
});

test.each(['direct_response', 'prompt_chain'] as const)(
  'in %s, which has no approval node, a gate ends the run',
  (graph) => {
    const run = turns({ ...PAY, options: { graph } });
    run.say(proposed(PLAN, { author: 'host' }));
    expect(run.state.ending.terminal).toMatchObject({ code: 'CONFIRM_REQUIRED', reason: 'nobody_to_ask' });
    expect(eventsOf(run.events, 'step_attempted')).toEqual([]);
  },
);

test('repeating a call that was lost with its process needs a new approval', () => {
  const run = turns({ tools: { pay: { ...PAY.tools?.['pay'], idempotency: { kind: 'none' } } } });
  run.say(proposed(PLAN));
  run.say(decided(run, 'approve'));
  run.say({ type: 'run_reloaded', writer: 'process_2' });
  run.say(CONTINUE);
  expect(run.state.session.status).toBe('awaiting_gate');
  expect(eventsOf(run.events, 'step_attempted').map(({ attempt }) => attempt)).toEqual([1]);
  run.say(decided(run, 'approve'));
  expect(eventsOf(run.events, 'step_attempted').map(({ attempt }) => attempt)).toEqual([1, 2]);
});
