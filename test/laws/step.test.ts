/**
 * The laws of `step` for every reachable state and every event, valid or not: it returns, it does not change its input,
 * it is deterministic, and a refusal returns the same state object.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { step } from '../../src/kernel/machine/step.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import { deepFreeze } from '../../src/model/json/freeze.ts';
import { ended, reached } from './journals.ts';
import { junkAt } from './junk.ts';

const RUNS = { numRuns: 300 };

const withJunk = reached.chain((at) =>
  fc.tuple(fc.constant(at), fc.array(junkAt(at.state.now), { minLength: 10, maxLength: 20 })),
);

test('total: returns for every event, and a refusal changes nothing', () => {
  let refusals = 0;
  fc.assert(
    fc.property(withJunk, ([{ env, state }, events]) => {
      for (const event of events) {
        const [next, effects, fault] = step(env, state, event);
        if (fault === undefined) continue;
        refusals += 1;
        expect(Fault.is(fault)).toBe(true);
        expect(next).toBe(state);
        expect(effects).toEqual([]);
      }
    }),
    RUNS,
  );
  expect(refusals).toBeGreaterThan(1_000);
});

test('pure: accepts frozen input, and the same input gives the same output', () => {
  let taken = 0;
  fc.assert(
    fc.property(reached, ({ env, state, next }) => {
      if (next === null) return;
      const first = step(env, state, next);
      const second = step(env, state, next);
      expect(first[2]).toBeUndefined();
      expect(second).toEqual(first);
      expect(first[0].seq).toBe(state.seq + 1);
      taken += 1;
    }),
    RUNS,
  );
  expect(taken).toBeGreaterThan(100);
});

test('final: a finished run does not change', () => {
  fc.assert(
    fc.property(
      ended.chain((at) => fc.tuple(fc.constant(at), junkAt(at.state.now))),
      ([{ env, state }, event]) => {
        const [next, effects, fault] = step(env, state, deepFreeze(event));
        expect(['session_terminal', 'event_invalid']).toContain(fault?.code);
        expect(next).toBe(state);
        expect(effects).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

test('forward: rejects an event that is older than the one before it', () => {
  fc.assert(
    fc.property(reached, fc.integer({ min: 1, max: 1_000_000 }), ({ env, state, next }, earlier) => {
      if (next === null || state.now === 0) return;
      const [same, , fault] = step(env, state, { ...next, at: state.now - earlier });
      expect(fault?.code).toBe('time_went_backwards');
      expect(same).toBe(state);
    }),
    RUNS,
  );
});
