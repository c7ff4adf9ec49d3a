/** Events come from people and from files: the parser accepts exact events only and throws nothing but Faults. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../fault/fault.ts';
import { NO_COST } from '../tool/tool.ts';
import { assertRecordedEvent, parseEvent, parseEventBody } from './event-schema.ts';

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
  test('accepts a valid event unchanged', () => {
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
  ])('refuses %s and names the place', (_name, value, path) => {
    expect(faultOf(() => parseEvent(value)).path).toBe(path);
  });

  test('refuses nesting that would exhaust the stack', () => {
    let deep: unknown = 0;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const value = { type: 'proposal_made', at: 5, kind: 'plan', payload: deep };
    expect(faultOf(() => parseEvent(value)).code).toBe('json_too_deep');
  });

  test('throws nothing but Faults for any input', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (junk) => {
        expect(faultOf(() => parseEvent(junk)).code).toBeDefined();
        expect(faultOf(() => parseEventBody(junk)).code).toBeDefined();
      }),
    );
  });
});

test('accepts as_planned as the policy of a clearance, and no other string', () => {
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

test('parses an event body, which has no time', () => {
  const { at: _, ...body } = cancelled;
  expect(parseEventBody(body)).toEqual(body);
  expect(faultOf(() => parseEventBody(cancelled)).code).toBe('event_invalid');
});

describe('assertRecordedEvent', () => {
  const proposed = { type: 'plan_proposed', at: 5, author: 'model', spent: NO_COST, context_tokens: 0 };

  test('accepts any keys in an answer that was recorded verbatim', () => {
    const proposal = JSON.parse('{"__proto__":{"admin":true}}');
    expect(faultOf(() => parseEvent({ ...proposed, proposal })).path).toBe('/proposal/__proto__');
    expect(() => assertRecordedEvent({ ...proposed, proposal })).not.toThrow();
  });

  test.each([
    ['a missing answer', proposed, '/proposal'],
    ['an unknown author', { ...proposed, proposal: null, author: 'nobody' }, '/author'],
    ['a field too many', { ...cancelled, approved: true }, ''],
    ['no event', null, '/type'],
  ])('refuses %s', (_name, value, path) => {
    expect(faultOf(() => assertRecordedEvent(value)).path).toBe(path);
  });
});
