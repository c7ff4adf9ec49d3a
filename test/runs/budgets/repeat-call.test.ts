/** A run makes an identical call at most three times, regardless of key order. */
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

const ID = 'budget:control-repeat-call:identical-hash-blocked';

/** Runs one step per set of arguments and answers each. */
function runCalls(...params: readonly JsonObject[]): Turns {
  const run = turns({ tools: { read: {}, finish: { produces: ['done'] } } });
  run.say(
    proposed(
      planOf([
        ...params.map((each, n) => ({ id: `s${n + 1}`, tool: 'read', params: each })),
        { id: 'end', tool: 'finish' },
      ]),
    ),
  );
  while (run.outbox.some(({ kind }) => kind === 'call_tool')) run.say(answered(run));
  return run;
}

verifies(ID, 'blocks the fourth identical call and escalates', () => {
  const { state } = runCalls(
    { a: 1, b: { c: 2, d: 3 } },
    { b: { d: 3, c: 2 }, a: 1 },
    { a: 1, b: { c: 2, d: 3 } },
    { b: { c: 2, d: 3 }, a: 1 },
  );
  expect(state.counters.calls).toBe(3);
  expect(state.session).toMatchObject({ status: 'paused', pause: { cause: 'escalated', authority: 'operator' } });
  expect(state.people.escalation?.stop).toMatchObject({
    code: 'REVIEW_REQUIRED',
    reason: 'loop_detected',
    detail: { kind: 'repeated_call', tool: 'read', count: 4, limit: 3 },
  });
});

verifies(ID, 'sends a fourth call with different arguments', () => {
  const { state } = runCalls({ a: 1 }, { a: 1 }, { a: 1 }, { a: 2 });
  expect(state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
  expect(state.counters.calls).toBe(5);
});
