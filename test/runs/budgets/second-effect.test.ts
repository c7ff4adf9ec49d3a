/** Every dispatch that may have a side effect counts. A repetition that the tool absorbs does not. */
import { expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/events/event.ts';
import type { Idempotency } from '../../../src/model/tool/tool.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

const CONTINUE: EventBody = { type: 'escalation_decided', decision: 'continue', by: 'ben', reason: 'once more' };

function startPayment(idempotency: Idempotency, side_effects_max: number): Turns {
  const pay = { produces: ['done'], side_effect: true, approval_mode: 'local_write', idempotency } as const;
  const run = turns({ tools: { pay }, caps: { ...CAPS, side_effects_max } });
  run.say(proposed(planOf([{ id: 'a', tool: 'pay' }])));
  run.say(answered(run, { outcome: 'timeout', raw: null }), 10_000);
  return run;
}

test('repeating a call with unknown outcome after an operator decision counts a second side effect', () => {
  const run = startPayment({ kind: 'none' }, 2);
  run.say(CONTINUE);
  expect(eventsOf(run.events, 'step_attempted')).toHaveLength(2);
  run.say(answered(run));
  expect(run.state.budget?.used.side_effects).toBe(2);
});

test('the repetition is not made with a cap of one', () => {
  const run = startPayment({ kind: 'none' }, 1);
  run.say(CONTINUE);
  expect(eventsOf(run.events, 'step_attempted')).toHaveLength(1);
  expect(run.state.people.escalation?.stop).toMatchObject({
    code: 'BUDGET_EXHAUSTED',
    detail: { dimension: 'side_effects' },
  });
  expect(run.state.budget?.used.side_effects).toBe(1);
});

test.each<Idempotency>([{ kind: 'natural' }, { kind: 'key', retention_ms: 600_000 }])(
  'a repetition that the tool absorbs ($kind) counts none',
  (idempotency) => {
    const run = startPayment(idempotency, 1);
    expect(eventsOf(run.events, 'step_attempted')).toHaveLength(2);
    run.say(answered(run));
    expect(run.state.ending.terminal?.code).toBe('SUCCESS');
    expect(run.state.budget?.used.side_effects).toBe(1);
  },
);
