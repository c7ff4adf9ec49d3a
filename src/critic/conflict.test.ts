/** Proves when two committed facts contradict each other, and that the finding names both. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { SourcedFact } from '../model/evidence/evidence.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import type { Json } from '../model/json/json.ts';
import { detectConflict } from './conflict.ts';

const fact = (over: Partial<SourcedFact>): SourcedFact =>
  deepFreeze({
    evidence_id: 'ev_1',
    source: 'ledger',
    trusted: true,
    type: 'order',
    subject: 'ord_881',
    path: '/total',
    value: 1,
    critical: false,
    ...over,
  });

test('reports different values at the same path and names both pieces of evidence', () => {
  expect(detectConflict([fact({}), fact({ evidence_id: 'ev_2', source: 'bank', value: 2, critical: true })])).toEqual([
    {
      kind: 'source_conflict',
      severity: 'high',
      detail: 'ev_1 and ev_2 disagree on order/total of ord_881: ledger, bank',
      refs: ['ev_1', 'ev_2'],
    },
  ]);
});

test('gives a contradiction low severity if the goal does not depend on it', () => {
  expect(detectConflict([fact({}), fact({ value: 2 })])[0]?.severity).toBe('low');
});

test.each([
  ['another subject', { subject: 'ord_882', value: 2 }],
  ['another type', { type: 'invoice', value: 2 }],
  ['another path', { path: '/tax', value: 2 }],
  ['the same value', {}],
])('reports no contradiction for %s', (_, over) => {
  expect(detectConflict([fact({}), fact(over)])).toEqual([]);
});

test('compares values regardless of key order', () => {
  expect(detectConflict([fact({ value: { a: 1, b: [2] } }), fact({ value: { b: [2], a: 1 } })])).toEqual([]);
  expect(detectConflict([fact({ value: { a: 1, b: [2] } }), fact({ value: { b: [3], a: 1 } })])).toHaveLength(1);
});

test('does not confuse two places whose joined names are equal', () => {
  expect(detectConflict([fact({ type: 'a', subject: 'b/c' }), fact({ type: 'a/b', subject: 'c', value: 2 })])).toEqual(
    [],
  );
});

describe('contradictions that sources settle have low severity', () => {
  const factsWith = (...values: readonly (readonly [Json, trusted?: boolean])[]): readonly SourcedFact[] =>
    values.map(([value, trusted = true], at) => fact({ evidence_id: `ev_${at + 1}`, value, trusted, critical: true }));
  const gravity = (facts: readonly SourcedFact[]) =>
    detectConflict(facts).map(({ severity, refs }) => [severity, refs]);

  test('settles by majority if a third source agrees with one of two', () => {
    expect(gravity(factsWith([1], [2], [2]))).toEqual([['low', ['ev_2', 'ev_1']]]);
  });

  test('settles nothing if a third source agrees with neither', () => {
    const grave = [
      ['high', ['ev_1', 'ev_2']],
      ['high', ['ev_1', 'ev_3']],
    ];
    expect(gravity(factsWith([1], [2], [3]))).toEqual(grave);
    expect(gravity(factsWith([1], [2], [1], [2])).every(([severity]) => severity === 'high')).toBe(true);
  });

  test('prefers a trusted source to any number of others, which cannot settle a conflict between two trusted ones', () => {
    expect(gravity(factsWith([1, false], [1, false], [2]))).toEqual([
      ['low', ['ev_3', 'ev_1']],
      ['low', ['ev_3', 'ev_2']],
    ]);
    expect(gravity(factsWith([1], [2], [2, false])).every(([severity]) => severity === 'high')).toBe(true);
  });
});

test.prop([fc.array(fc.jsonValue(), { maxLength: 8 })])(
  'reports a contradiction exactly if values differ, and names two that do',
  (values) => {
    const byId = new Map(values.map((value, at) => [`ev_${at}`, JSON.stringify(sorted(value))]));
    const facts = values.map((value, at) => fact({ evidence_id: `ev_${at}`, value: value as SourcedFact['value'] }));
    const found = detectConflict(facts);
    expect(found.length === 0).toBe(new Set(byId.values()).size <= 1);
    for (const { refs = [] } of found) expect(byId.get(refs[0] ?? '')).not.toBe(byId.get(refs[1] ?? ''));
  },
);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, sorted(child)] as const);
  return { entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)) };
}
