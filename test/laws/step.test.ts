/**
 * The laws of the kernel's one function, for every reachable state and every event, sense or nonsense: it answers, it
 * changes nothing that it was given, it says the same twice, and a refusal leaves the very same state.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { step } from '../../src/kernel/step.ts';
import { Fault } from '../../src/model/fault.ts';
import { deepFreeze } from '../../src/model/freeze.ts';
import { ended, reached } from './journals.ts';
import { junkAt } from './junk.ts';

const RUNS = { numRuns: 300 };

const withJunk = reached.chain((at) =>
  fc.tuple(fc.constant(at), fc.array(junkAt(at.state.now), { minLength: 10, maxLength: 20 })),
);

test('total: whatever is sent, there is an answer, and a refusal changes nothing', () => {
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

test('pure: frozen input is enough, and the same input gives the same output', () => {
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

test('final: nothing happens to a run that has ended', () => {
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

test('forward: no event is older than the one before it', () => {
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
