/** Tests that the kernel refuses every invalid event without throwing and without changing the run. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { step } from '../../../src/kernel/machine/step.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import { operator, planOf, type RigOptions, rig } from '../rig.ts';
import { fold, kernelOf } from './kernel.ts';

const OPTIONS: RigOptions = {
  tools: { pay: { approval_mode: 'destructive', gates: ['GATE'], produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'pay', requires: ['GATE'] }])],
};

const bench = rig(OPTIONS);
const waiting = await bench.invoke();
const [gate] = waiting.pending;
const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'seen' };
await bench.settle(bench.runtime.approve(gate?.gateId ?? '', answer));
const events = await bench.events(waiting.runId);
const env = kernelOf(OPTIONS);
const states = fold(env, events);

const refusalOf = (state: RunState, event: unknown): Fault => {
  const [next, effects, fault] = step(env, state, event as RunEvent);
  expect(next).toBe(state);
  expect(effects).toEqual([]);
  expect(Fault.is(fault)).toBe(true);
  return fault as Fault;
};

test.each([null, undefined, 0, 'run_cancelled', Symbol('x'), [], () => 1, Object.create(null), { type: {} }])(
  'refuses %o as an event',
  (junk) => {
    for (const state of states) expect(refusalOf(state, junk).code).toBe('event_invalid');
  },
);

test.each(['constructor', 'toString', '__proto__', ''])('refuses the event type %o', (type) => {
  for (const state of states) {
    expect(refusalOf(state, { type, at: state.now }).message).toBe(`unknown event ${JSON.stringify(type)}`);
  }
});

test('refuses any value without throwing', () => {
  const junk = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true });
  fc.assert(
    fc.property(fc.constantFrom(...states), junk, (state, value) => {
      refusalOf(state, value);
    }),
  );
});

describe.each(events.map((event, place) => [event.type, event, place] as const))('%s', (_type, event, place) => {
  const before = states[place];
  if (before === undefined) throw new Error('no state');

  test.each([Number.POSITIVE_INFINITY, Number.NaN, 2 ** 60, 0.5, '1', null, undefined])(
    'is refused with the time %s',
    (at) => {
      expect(refusalOf(before, { ...event, at })).toMatchObject({ code: 'event_invalid', path: '/at' });
    },
  );

  test('is refused without any one of its fields, and the fault names the field', () => {
    for (const field of Object.keys(event)) {
      if (['type', 'at', 'plan', 'detail', 'proof', 'context', 'decided_by'].includes(field)) continue;
      const { [field as keyof RunEvent]: _, ...rest } = event;
      expect(refusalOf(before, rest)).toMatchObject({ code: 'event_invalid', path: `/${field}` });
    }
  });

  test('with junk in any one of its fields never throws or causes an internal fault', () => {
    for (const field of Object.keys(event)) {
      for (const junk of [null, 7, 'x', [], {}, [null], { a: null }]) {
        const [next, , fault] = step(env, before, { ...event, [field]: junk } as RunEvent);
        if (fault === undefined) continue;
        expect(next).toBe(before);
        expect(fault.code).not.toBe('internal');
      }
    }
  });
});
