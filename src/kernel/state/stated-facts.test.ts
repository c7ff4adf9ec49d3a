/** Proves which statements share a subject, that the newest of each source counts, and that updates copy little. */
import { fc, test as prop } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { spec } from '../../../test/kernel/verify/fixtures.ts';
import type { StatedFact } from '../../model/evidence/evidence.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { Json } from '../../model/json/json.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import {
  assertedBy,
  contestedFacts,
  NOTHING_STATED,
  type StatedFacts,
  stateFact,
  statementsAbout,
} from './stated-facts.ts';

const ledger: ToolSpec = {
  ...spec('ledger'),
  produces: ['balance'],
  asserts: [{ type: 'balance', subject: '/account', values: { total: '/sum/cents', 'due/now': '/due' } }],
};
const fact = (source: string, value: Json, subject: string = 'acc_1'): StatedFact =>
  deepFreeze({ evidence_id: `ev_${source}`, source, trusted: true, type: 'balance', subject, path: '/total', value });
const stated = (...facts: readonly StatedFact[]): StatedFacts => facts.reduce(stateFact, NOTHING_STATED);

describe('assertedBy', () => {
  const committed = (value: Json) => ({ value, evidenceId: 'ev_1' });

  test('returns the declared values under the names that all sources share', () => {
    const value = { sum: { cents: 5 }, due: 1, as_of: 9 };
    expect(
      assertedBy(ledger, { account: 'acc_1' }, committed(value)).map(({ path, value: asserted }) => [path, asserted]),
    ).toEqual([
      ['/total', 5],
      ['/due~1now', 1],
    ]);
  });

  test('returns nothing for a missing value or a missing subject', () => {
    expect(assertedBy(ledger, { account: 'acc_1' }, committed({ sum: {} }))).toEqual([]);
    expect(assertedBy(ledger, {}, committed({ due: 1 }))).toEqual([]);
    expect(assertedBy(ledger, { account: 'acc_1' }, committed(null))).toEqual([]);
    expect(assertedBy(spec('silent'), { account: 'acc_1' }, committed({ due: 1 }))).toEqual([]);
  });

  test('a subject is the same in any key order', () => {
    const [first] = ledger.asserts ?? [];
    const all = { ...ledger, asserts: first === undefined ? [] : [{ ...first, subject: '' }] };
    const subjects = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ].map((args) => assertedBy(all, args, committed({ due: 1 }))[0]?.subject);
    expect(subjects).toEqual(['{"a":1,"b":2}', '{"a":1,"b":2}']);
  });
});

test('the newest statement of each source counts, and a correction ends a disagreement', () => {
  const disagreeing = stated(fact('ledger', 1), fact('bank', 2));
  expect(contestedFacts(disagreeing)).toEqual([fact('ledger', 1), fact('bank', 2)]);
  const corrected = stateFact(disagreeing, fact('ledger', 2));
  expect(statementsAbout(corrected, fact('ledger', 2))).toEqual([fact('bank', 2), fact('ledger', 2)]);
  expect(contestedFacts(stateFact(corrected, fact('bank', 3)))).toHaveLength(2);
});

prop.prop([
  fc.array(
    fc.tuple(
      fc.constantFrom('ledger', 'bank', 'audit'),
      fc.constantFrom('a', 'b', 'c'),
      fc.integer({ max: 2, min: 0 }),
    ),
  ),
])('returns the newest statement of each source, like a Map', (words) => {
  const facts = words.map(([source, subject, value]) => fact(source, value, subject));
  const all = stated(...facts);
  for (const subject of ['a', 'b', 'c']) {
    const newest = new Map(facts.filter((each) => each.subject === subject).map((each) => [each.source, each.value]));
    const statements = statementsAbout(all, fact('ledger', 0, subject));
    expect(new Map(statements.map(({ source, value }) => [source, value]))).toEqual(newest);
    const contested = contestedFacts(all).filter((each) => each.subject === subject);
    if (new Set(newest.values()).size > 1) expect(contested).toEqual(statements);
  }
});

test('adding one fact to 2,000 copies fewer than 60 nodes', () => {
  let many = NOTHING_STATED;
  for (let n = 0; n < 2_000; n += 1) many = stateFact(many, fact('ledger', n, `acc_${n}`));
  const before = nodesOf(many.byPlace);
  const after = nodesOf(stateFact(many, fact('ledger', 0, 'another')).byPlace);
  expect([...after].filter((node) => !before.has(node)).length).toBeLessThan(60);
});

function nodesOf(node: StatedFacts['byPlace'], seen: Set<object> = new Set()): Set<object> {
  if (node === null) return seen;
  seen.add(node);
  nodesOf(node.left, seen);
  return nodesOf(node.right, seen);
}
