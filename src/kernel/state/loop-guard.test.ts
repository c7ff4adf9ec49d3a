/** Proves which repetitions count as a loop, and that every trip names what was repeated. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import {
  allowCall,
  guardWith,
  LOOP_LIMITS,
  type LoopGuard,
  type Noted,
  type NotedCall,
  noteCall,
  noteFailedCall,
  notePace,
  notePlan,
  noteSubtask,
  noteTransition,
} from './loop-guard.ts';

const hex = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`;

const openGuard = guardWith(LOOP_LIMITS);

function times(count: number, note: (guard: LoopGuard) => Noted, from: LoopGuard = openGuard): Noted {
  let noted: Noted = { guard: from, trip: null };
  for (let index = 0; index < count; index += 1) noted = note(deepFreeze(noted.guard));
  return noted;
}

describe('repeated calls', () => {
  test('allows three identical calls and stops the fourth, naming tool and arguments', () => {
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

  test('counts identical calls that are not consecutive', () => {
    const noted = times(3, (guard) => noteCall(noteCall(guard, 'a', hex(1)).guard, 'a', hex(2)));
    expect(noteCall(noted.guard, 'a', hex(1)).trip).not.toBeNull();
  });

  test('the same arguments to another tool are another call', () => {
    const third = times(3, (guard) => noteCall(guard, 'orders.lookup', hex(1)));
    expect(noteCall(third.guard, 'orders.find', hex(1)).trip).toBeNull();
  });

  verifies('loopguard:tool:distinct-arguments-allowed', 'ten calls of one tool with different arguments pass', () => {
    let guard = openGuard;
    for (let index = 0; index < 10; index += 1) {
      const noted = noteCall(guard, 'orders.lookup', hex(index));
      expect(noted.trip).toBeNull();
      guard = noted.guard;
    }
    expect(guard.trips).toBe(0);
  });

  test('each guard has its own counts', () => {
    const lane = times(4, (guard) => noteCall(guard, 'a', hex(1)));
    expect(lane.guard.trips).toBe(1);
    expect(noteCall(openGuard, 'a', hex(1))).toMatchObject({ trip: null, guard: { trips: 0 } });
  });

  test('counts exactly over a long run', () => {
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

describe('repeated transitions', () => {
  test('stops the fourth pass in the same situation', () => {
    expect(times(3, (guard) => noteTransition(guard, 'plan>repair s2')).trip).toBeNull();
    expect(times(4, (guard) => noteTransition(guard, 'plan>repair s2')).trip).toMatchObject({
      code: 'loop_detected',
      kind: 'repeated_transition',
      detail: { transition: 'plan>repair s2', count: 4, limit: 3 },
    });
  });

  test('detects two alternating transitions', () => {
    const alternating = (guard: LoopGuard): Noted =>
      noteTransition(noteTransition(guard, 'plan>repair').guard, 'repair>plan');
    expect(times(4, alternating).trip?.kind).toBe('repeated_transition');
  });
});

describe('repeated plans', () => {
  test('stops the second repetition of a plan without new evidence', () => {
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

  test('allows the same plan again after new evidence', () => {
    let evidence = 0;
    const learning = (guard: LoopGuard): Noted => notePlan(guard, hex(1), evidence++);
    expect(times(10, learning).trip).toBeNull();
  });

  test('does not limit different plans', () => {
    let plan = 0;
    expect(times(10, (guard) => notePlan(guard, hex(plan++), 0)).trip).toBeNull();
  });

  test('detects two alternating plans', () => {
    const turns = (guard: LoopGuard): Noted => notePlan(notePlan(guard, hex(1), 3).guard, hex(2), 3);
    expect(times(2, turns, openGuard).trip?.kind).toBe('no_progress');
  });
});

describe('repeated sub-tasks', () => {
  const opened = (guard: LoopGuard): NotedCall => noteSubtask(guard, 'delegate', hex(7));

  test('stops a second sub-task with the same signature', () => {
    const first = opened(openGuard);
    expect(first.trip).toBeNull();
    expect(noteSubtask(first.guard, 'delegate', hex(8)).trip).toBeNull();
    expect(opened(first.guard).trip).toEqual({
      code: 'loop_detected',
      kind: 'duplicate_subtask',
      detail: { tool: 'delegate', args_hash: hex(7), count: 2, limit: 1 },
    });
  });

  test('allows a failed one again, as often as any call', () => {
    const failing = (guard: LoopGuard): NotedCall => {
      const noted = opened(guard);
      return { ...noted, guard: noteFailedCall(noted.guard, 'delegate', hex(7)) };
    };
    expect(times(3, failing).trip).toBeNull();
    expect(times(4, failing).trip?.kind).toBe('repeated_call');
  });

  test('allows as many as the tool declares, and one more that a person allows', () => {
    const twice = (guard: LoopGuard): NotedCall => noteSubtask(guard, 'delegate', hex(7), 2);
    expect(times(2, twice).trip).toBeNull();
    expect(times(3, twice).trip?.kind).toBe('duplicate_subtask');
    expect(opened(allowCall(opened(openGuard).guard, 'delegate', hex(7))).trip).toBeNull();
  });
});

test('a guard survives a JSON round trip', () => {
  const third = times(3, (guard) => noteCall(guard, 'a', hex(1)));
  const loaded: LoopGuard = JSON.parse(JSON.stringify(third.guard));
  expect(loaded).toEqual(third.guard);
  expect(noteCall(loaded, 'a', hex(1)).trip).not.toBeNull();
});

describe('calls per minute', () => {
  const guard = guardWith({ ...LOOP_LIMITS, callsPerMinute: 2 });
  test('trips at the first call over the limit', () => {
    const second = notePace(notePace(guard, 100_000).guard, 100_001);
    expect(second.trip).toBeNull();
    expect(notePace(second.guard, 159_999).trip).toMatchObject({ kind: 'tool_spam', detail: { count: 3, limit: 2 } });
  });

  test('restarts the count every minute', () => {
    const busy = notePace(notePace(guard, 100_000).guard, 100_001).guard;
    expect(notePace(busy, 160_000)).toMatchObject({ trip: null, guard: { minuteFrom: 160_000, inMinute: 1 } });
  });
});
