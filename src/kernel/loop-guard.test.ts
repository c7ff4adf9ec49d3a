/** Proves what counts as going in circles, and that every stop says so with what repeated. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/requirements/verifies.ts';
import { deepFreeze } from '../model/freeze.ts';
import {
  guardWith,
  LOOP_LIMITS,
  type LoopGuard,
  type Noted,
  noteCall,
  notePace,
  notePlan,
  noteSubtask,
  noteTransition,
} from './loop-guard.ts';

const hex = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`;

/** Notes the same thing again and again, and returns what the last time said. */
const openGuard = guardWith(LOOP_LIMITS);

function times(count: number, note: (guard: LoopGuard) => Noted, from: LoopGuard = openGuard): Noted {
  let noted: Noted = { guard: from, trip: null };
  for (let index = 0; index < count; index += 1) noted = note(deepFreeze(noted.guard));
  return noted;
}

describe('an identical call', () => {
  test('is let through three times and stopped the fourth, with tool and arguments named', () => {
    const third = times(3, (guard) => noteCall(guard, 'orders.lookup', hex(1)));
    expect(third.trip).toBeNull();
    const fourth = noteCall(third.guard, 'orders.lookup', hex(1));
    expect(fourth.trip).toEqual({
      code: 'loop_detected',
      kind: 'repeated_call',
      detail: { tool: 'orders.lookup', args_hash: hex(1), count: 4, limit: 3 },
    });
    expect(fourth.guard.trips).toBe(1);
    expect(noteCall(fourth.guard, 'orders.lookup', hex(1)).guard.trips).toBe(2);
  });

  test('is stopped although other calls came in between', () => {
    const noted = times(3, (guard) => noteCall(noteCall(guard, 'a', hex(1)).guard, 'a', hex(2)));
    expect(noteCall(noted.guard, 'a', hex(1)).trip).not.toBeNull();
  });

  test('of another tool with the same arguments is another call', () => {
    const third = times(3, (guard) => noteCall(guard, 'orders.lookup', hex(1)));
    expect(noteCall(third.guard, 'orders.find', hex(1)).trip).toBeNull();
  });

  verifies('loopguard:tool:distinct-arguments-allowed', 'of one tool with ten arguments is ten calls', () => {
    let guard = openGuard;
    for (let index = 0; index < 10; index += 1) {
      const noted = noteCall(guard, 'orders.lookup', hex(index));
      expect(noted.trip).toBeNull();
      guard = noted.guard;
    }
    expect(guard.trips).toBe(0);
  });

  test('is counted apart in every guard', () => {
    const lane = times(4, (guard) => noteCall(guard, 'a', hex(1)));
    expect(lane.guard.trips).toBe(1);
    expect(noteCall(openGuard, 'a', hex(1))).toMatchObject({ trip: null, guard: { trips: 0 } });
  });

  test('is counted exactly over a long run', () => {
    const calls = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat({ max: 40 })), { maxLength: 300 });
    fc.assert(
      fc.property(calls, fc.integer({ min: 0, max: 5 }), (list, limit) => {
        let guard = guardWith({ ...LOOP_LIMITS, calls: limit });
        const seen = new Map<string, number>();
        for (const [tool, args] of list) {
          const noted = noteCall(guard, tool, hex(args));
          const before = seen.get(`${tool}${args}`) ?? 0;
          expect(noted.trip !== null).toBe(before >= limit);
          if (noted.trip === null) seen.set(`${tool}${args}`, before + 1);
          guard = noted.guard;
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('a transition', () => {
  test('in the same situation is stopped the fourth time', () => {
    expect(times(3, (guard) => noteTransition(guard, 'plan>repair s2')).trip).toBeNull();
    expect(times(4, (guard) => noteTransition(guard, 'plan>repair s2')).trip).toMatchObject({
      code: 'loop_detected',
      kind: 'repeated_transition',
      detail: { transition: 'plan>repair s2', count: 4, limit: 3 },
    });
  });

  test('of two that alternate is found as well', () => {
    const alternating = (guard: LoopGuard): Noted =>
      noteTransition(noteTransition(guard, 'plan>repair').guard, 'repair>plan');
    expect(times(4, alternating).trip?.kind).toBe('repeated_transition');
  });
});

describe('a plan', () => {
  test('that says again what an earlier one said, with nothing learned, is stopped past the limit', () => {
    expect(times(2, (guard) => notePlan(guard, hex(1), 0)).trip).toBeNull();
    expect(times(3, (guard) => notePlan(guard, hex(1), 0))).toMatchObject({
      guard: { trips: 1 },
      trip: {
        code: 'loop_detected',
        kind: 'no_progress',
        detail: { plan_hash: hex(1), evidence: 0, count: 2, limit: 1 },
      },
    });
  });

  test('may be said again once evidence has arrived', () => {
    let evidence = 0;
    const learning = (guard: LoopGuard): Noted => notePlan(guard, hex(1), evidence++);
    expect(times(10, learning).trip).toBeNull();
  });

  test('may differ as often as the budget allows', () => {
    let plan = 0;
    expect(times(10, (guard) => notePlan(guard, hex(plan++), 0)).trip).toBeNull();
  });

  test('that takes turns with another brings nothing new either', () => {
    const turns = (guard: LoopGuard): Noted => notePlan(notePlan(guard, hex(1), 3).guard, hex(2), 3);
    expect(times(2, turns, openGuard).trip?.kind).toBe('no_progress');
  });
});

describe('a sub-task', () => {
  test('is opened once', () => {
    const first = noteSubtask(openGuard, hex(7));
    expect(first.trip).toBeNull();
    expect(noteSubtask(first.guard, hex(8)).trip).toBeNull();
    expect(noteSubtask(first.guard, hex(7)).trip).toEqual({
      code: 'loop_detected',
      kind: 'duplicate_subtask',
      detail: { signature: hex(7), count: 2, limit: 1 },
    });
  });
});

test('a guard survives being stored and loaded', () => {
  const third = times(3, (guard) => noteCall(guard, 'a', hex(1)));
  const loaded: LoopGuard = JSON.parse(JSON.stringify(third.guard));
  expect(loaded).toEqual(third.guard);
  expect(noteCall(loaded, 'a', hex(1)).trip).not.toBeNull();
});

describe('the pace of a run', () => {
  const guard = guardWith({ ...LOOP_LIMITS, callsPerMinute: 2 });
  test('trips at the first call beyond what a minute may hold, whatever is called', () => {
    const second = notePace(notePace(guard, 100_000).guard, 100_001);
    expect(second.trip).toBeNull();
    expect(notePace(second.guard, 159_999).trip).toMatchObject({ kind: 'tool_spam', detail: { count: 3, limit: 2 } });
  });

  test('begins anew with every minute', () => {
    const busy = notePace(notePace(guard, 100_000).guard, 100_001).guard;
    expect(notePace(busy, 160_000)).toMatchObject({ trip: null, guard: { minuteFrom: 160_000, inMinute: 1 } });
  });
});
