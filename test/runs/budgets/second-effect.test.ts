/** Every dispatch that may change the world counts, whoever asked for it; one that the tool absorbs does not. */
import { expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/event.ts';
import type { Idempotency } from '../../../src/model/tool.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

const CONTINUE: EventBody = { type: 'escalation_decided', decision: 'continue', by: 'ben', reason: 'once more' };

function paying(idempotency: Idempotency, side_effects_max: number): Turns {
  const pay = { produces: ['done'], side_effect: true, approval_mode: 'local_write', idempotency } as const;
  const run = turns({ tools: { pay }, caps: { ...CAPS, side_effects_max } });
  run.say(proposed(planOf([{ id: 'a', tool: 'pay' }])));
  run.say(answered(run, { outcome: 'timeout', raw: null }), 10_000);
  return run;
}

test('a call in doubt that a person lets be made again takes a second side effect', () => {
  const run = paying({ kind: 'none' }, 2);
  run.say(CONTINUE);
  expect(eventsOf(run.events, 'step_attempted')).toHaveLength(2);
  run.say(answered(run));
  expect(run.state.budget?.used.side_effects).toBe(2);
});

test('and is not made where the cap allows one', () => {
  const run = paying({ kind: 'none' }, 1);
  run.say(CONTINUE);
  expect(eventsOf(run.events, 'step_attempted')).toHaveLength(1);
  expect(run.state.people.escalation?.stop).toMatchObject({
    code: 'BUDGET_EXHAUSTED',
    detail: { dimension: 'side_effects' },
  });
  expect(run.state.budget?.used.side_effects).toBe(1);
});

test.each<Idempotency>([{ kind: 'natural' }, { kind: 'key', retention_ms: 600_000 }])(
  'a repetition that the tool absorbs ($kind) takes none',
  (idempotency) => {
    const run = paying(idempotency, 1);
    expect(eventsOf(run.events, 'step_attempted')).toHaveLength(2);
    run.say(answered(run));
    expect(run.state.ending.terminal?.code).toBe('SUCCESS');
    expect(run.state.budget?.used.side_effects).toBe(1);
  },
);
