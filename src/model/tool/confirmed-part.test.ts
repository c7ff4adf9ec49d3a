import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { deepFreeze } from '../json/freeze.ts';
import type { Json } from '../json/json.ts';
import { pointerToken } from '../json/pointer.ts';
import { confirmedPart } from './confirmed-part.ts';

const raw = deepFreeze({
  order: { id: 'ord_881', total: { cents: 4200, currency: 'EUR' } },
  lines: [{ sku: 'a', note: 'x' }, { sku: 'b' }, { sku: 'c' }],
  'a/b': { '~': 1 },
  note: 'unchecked',
});

describe('the confirmed part', () => {
  verifies('grounding:verified:only-confirmed-subset-committed', 'holds the confirmed field and no other', () => {
    expect(confirmedPart({ refund_id: 'rf_1', status: 'sure' }, ['/refund_id'])).toEqual({ refund_id: 'rf_1' });
  });

  test('is the payload itself when all of it is confirmed', () => {
    expect(confirmedPart(raw, 'all')).toBe(raw);
    expect(confirmedPart(raw, ['/note', ''])).toBe(raw);
  });

  test('keeps each value at its place and shares it', () => {
    const part = confirmedPart(raw, ['/order/total', '/order/total/cents']);
    expect(part).toEqual({ order: { total: { cents: 4200, currency: 'EUR' } } });
    expect((part as typeof raw).order.total).toBe(raw.order.total);
  });

  test('reads escaped tokens', () => {
    expect(confirmedPart(raw, ['/a~1b/~0'])).toEqual({ 'a/b': { '~': 1 } });
  });

  test('is empty when nothing was confirmed', () => {
    expect(confirmedPart(raw, [])).toEqual({});
    expect(confirmedPart([1, 2], [])).toEqual([]);
    expect(confirmedPart(7, [])).toBeNull();
  });

  test('confirms list items from the first one on', () => {
    expect(confirmedPart(raw, ['/lines/0/sku', '/lines/1'])).toEqual({ lines: [{ sku: 'a' }, { sku: 'b' }] });
  });

  test.each([
    ['a field that is not there', '/refund'],
    ['a field below a value', '/note/0'],
    ['an inherited property', '/constructor'],
    ['an inherited property of a list', '/lines/length'],
    ['an item after a gap', '/lines/1'],
    ['an item past the end', '/lines/3'],
    ['another spelling of an index', '/lines/00'],
  ])('cannot hold %s', (_, pointer) => {
    expect(() => confirmedPart(raw, [pointer])).toThrowError(expect.objectContaining({ code: 'grounding_violation' }));
  });

  test('is all or nothing for a scalar', () => {
    expect(confirmedPart(7, [''])).toBe(7);
    expect(() => confirmedPart(7, ['/0'])).toThrowError(expect.objectContaining({ code: 'grounding_violation' }));
  });

  const fields = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<Json>, {
    maxKeys: 6,
    noNullPrototype: true,
  });
  test.prop([fields, fc.array(fc.nat(5))])('holds exactly the confirmed fields of any object', (object, chosen) => {
    const keys = Object.keys(object);
    const confirmed = new Set(chosen.flatMap((index) => keys[index] ?? []));
    const part = confirmedPart(deepFreeze(object), [...confirmed].map(pointerToken));
    expect(part).toEqual(Object.fromEntries(Object.entries(object).filter(([key]) => confirmed.has(key))));
  });
});
