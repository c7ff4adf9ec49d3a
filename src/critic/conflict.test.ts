/** Proves when two committed facts contradict each other, and that both are named. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { deepFreeze } from '../model/freeze.ts';
import { detectConflict } from './conflict.ts';
import type { SourcedFact } from './evaluator.ts';

const fact = (over: Partial<SourcedFact>): SourcedFact =>
  deepFreeze({
    evidence_id: 'ev_1',
    type: 'order',
    subject: 'ord_881',
    path: '/total',
    value: 1,
    critical: false,
    ...over,
  });

test('the same place with different values: both pieces of evidence are named', () => {
  expect(detectConflict([fact({}), fact({ evidence_id: 'ev_2', value: 2, critical: true })])).toEqual([
    {
      kind: 'source_conflict',
      severity: 'high',
      detail: 'ev_1 and ev_2 disagree on order/total of ord_881',
      refs: ['ev_1', 'ev_2'],
    },
  ]);
});

test('where the goal does not hang on it, the contradiction is of low severity', () => {
  expect(detectConflict([fact({}), fact({ value: 2 })])[0]?.severity).toBe('low');
});

test.each([
  ['another subject', { subject: 'ord_882', value: 2 }],
  ['another type', { type: 'invoice', value: 2 }],
  ['another path', { path: '/tax', value: 2 }],
  ['the same value', {}],
])('no contradiction: %s', (_, over) => {
  expect(detectConflict([fact({}), fact(over)])).toEqual([]);
});

test('values are compared by meaning, not by the order of their keys', () => {
  expect(detectConflict([fact({ value: { a: 1, b: [2] } }), fact({ value: { b: [2], a: 1 } })])).toEqual([]);
  expect(detectConflict([fact({ value: { a: 1, b: [2] } }), fact({ value: { b: [3], a: 1 } })])).toHaveLength(1);
});

test('names cannot be chosen so that two different places look like one', () => {
  expect(detectConflict([fact({ type: 'a', subject: 'b/c' }), fact({ type: 'a/b', subject: 'c', value: 2 })])).toEqual(
    [],
  );
});

test.prop([fc.array(fc.jsonValue(), { maxLength: 8 })])(
  'one finding for each fact that differs from the first',
  (values) => {
    const facts = values.map((value, at) => fact({ evidence_id: `ev_${at}`, value: value as SourcedFact['value'] }));
    const differing = values.filter((value) => JSON.stringify(sorted(value)) !== JSON.stringify(sorted(values[0])));
    expect(detectConflict(facts)).toHaveLength(differing.length);
  },
);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, sorted(child)] as const);
  return { entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)) };
}
