/** Events come from people and from files: nothing that is not exactly an event gets in, and nothing else is thrown. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEvent, parseEventBody } from './event-schema.ts';
import { Fault } from './fault.ts';

const cancelled = { type: 'run_cancelled', at: 5, by: 'user_1', reason: 'no longer needed' };

const faultOf = (act: () => unknown): Fault => {
  try {
    act();
  } catch (error) {
    if (Fault.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('parseEvent', () => {
  test('takes an event as it is', () => {
    expect(parseEvent(cancelled)).toEqual(cancelled);
  });

  test.each([
    ['an unknown type', { ...cancelled, type: 'run_exploded' }, '/type'],
    ['a type that reaches into a prototype', { ...cancelled, type: 'constructor' }, '/type'],
    ['no type', { at: 5 }, '/type'],
    ['a missing field', { type: 'run_cancelled', at: 5, by: 'user_1' }, '/reason'],
    ['a field too many', { ...cancelled, approved: true }, ''],
    ['control characters in a name', { ...cancelled, by: 'user\u0007' }, '/by'],
    ['a time that is no instant', { ...cancelled, at: -1 }, '/at'],
    ['a time that is not finite', { ...cancelled, at: Number.POSITIVE_INFINITY }, '/at'],
    [
      'a prototype key',
      JSON.parse('{"type":"run_cancelled","at":5,"by":"u","reason":"r","__proto__":{}}'),
      '/__proto__',
    ],
  ])('refuses %s and says where', (_name, value, path) => {
    expect(faultOf(() => parseEvent(value)).path).toBe(path);
  });

  test('refuses nesting that would exhaust the stack', () => {
    let deep: unknown = 0;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const value = { type: 'proposal_made', at: 5, kind: 'plan', payload: deep };
    expect(faultOf(() => parseEvent(value)).code).toBe('json_too_deep');
  });

  test('throws nothing but Faults, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (junk) => {
        expect(faultOf(() => parseEvent(junk)).code).toBeDefined();
        expect(faultOf(() => parseEventBody(junk)).code).toBeDefined();
      }),
    );
  });
});

test('a clearance may say that its call was decided about with the plan, and no other word for it', () => {
  const hash = `sha256:${'0'.repeat(64)}`;
  const cleared = {
    type: 'step_cleared',
    at: 5,
    step_id: 'a',
    args: {},
    args_hash: hash,
    mode: 'read_only',
    gates: [],
  };
  expect(parseEvent({ ...cleared, policy: 'as_planned' })).toEqual({ ...cleared, policy: 'as_planned' });
  expect(faultOf(() => parseEvent({ ...cleared, policy: 'permit' })).path).toBe('/policy');
});

test('a body is an event without its time', () => {
  const { at: _, ...body } = cancelled;
  expect(parseEventBody(body)).toEqual(body);
  expect(faultOf(() => parseEventBody(cancelled)).code).toBe('event_invalid');
});
