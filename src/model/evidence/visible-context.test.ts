/** The items of a context that a run may see, and those it may use as evidence, at each limit. */
import { expect, test } from 'vitest';
import type { Boundary } from '../policy/boundary.ts';
import type { SecurityToken } from '../run/identity.ts';
import type { CompiledContext, ContextItem } from './context.ts';
import { evidenceOf, freshness, MEMORY_SOURCE, type Viewer, visibleItems } from './visible-context.ts';

const NOW = 1_000;

const item = (key: string, changes: Partial<ContextItem> = {}): ContextItem => ({
  key,
  type: 'order',
  value: 1,
  source_id: 'crm',
  permission_scope: 'orders',
  observed_at: 10,
  fresh_until: NOW + 1,
  trusted: true,
  authority: 5,
  personal_data: false,
  ...changes,
});

const contextOf = (...items: readonly ContextItem[]): CompiledContext => ({
  context_id: 'context_1',
  pack_pin: 'pack@1',
  snapshot_pin: 'snapshot_1',
  items,
  compiled_at: 0,
  memory_snapshot: null,
});

function viewer(personal_data: 'allowed' | 'withheld' = 'withheld'): Viewer {
  const token = { data_scopes: ['orders'] } as unknown as SecurityToken;
  const boundary = { observations: { authority_min: 5, personal_data } } as unknown as Boundary;
  return { token, boundary, now: NOW };
}

const isShown = (changes: Partial<ContextItem>, by = viewer()): boolean =>
  visibleItems(contextOf(item('a', changes)), by).length === 1;

test.each([
  ['what is fresh for a moment longer', {}, true],
  ['what is fresh until now', { fresh_until: NOW }, false],
  ['what is authoritative enough', { authority: 5 }, true],
  ['what is a little less so', { authority: 4 }, false],
  ['what is for others to read', { permission_scope: 'salaries' }, false],
  ['personal data', { personal_data: true }, false],
  ['what nobody trusts', { trusted: false }, true],
] as const)('%s', (_, changes, shown) => {
  expect(isShown(changes)).toBe(shown);
});

test('shows personal data if the boundary allows it', () => {
  expect(isShown({ personal_data: true }, viewer('allowed'))).toBe(true);
});

test('uses the newest trusted and visible item of each type as evidence, except memories', () => {
  const context = contextOf(
    item('old'),
    item('new', { observed_at: 20 }),
    item('strange', { observed_at: 30, trusted: false }),
    item('remembered', { observed_at: 40, source_id: MEMORY_SOURCE }),
    item('stale', { observed_at: 50, fresh_until: NOW }),
    item('rule', { type: 'policy', fresh_until: NOW + 9 }),
  );
  const evidence = evidenceOf(context, viewer());
  expect(evidence).toEqual({ order: 'new', policy: 'rule' });
  expect(freshness(context, evidence)).toEqual({ fresh_until: { new: NOW + 1, rule: NOW + 9 } });
  expect(freshness(context, {})).toEqual({});
});
