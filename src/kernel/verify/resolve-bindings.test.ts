/** Proves that committed values replace bindings, nothing else changes, and inherited keys are unreachable. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { resolveBindings } from './bindings.ts';

const committed: Readonly<Record<string, Json>> = deepFreeze({
  s1: { order: { total: 7, none: null }, 'a/b': [true, { '~': 'x' }] },
  s2: 'text',
});
const lookup = (id: string): Json | undefined => (Object.hasOwn(committed, id) ? committed[id] : undefined);
const from = ($from: string, path: string): JsonObject => ({ $from, path });

test('returns arguments without bindings as the same object', () => {
  const params = deepFreeze({ a: [1, { b: 2 }] });
  const resolved = resolveBindings(params, lookup);
  expect(resolved.ok && resolved.args).toBe(params);
});

test('copies only the parts with a binding', () => {
  const params = deepFreeze({
    amount: from('s1', '/order/total'),
    list: [from('s1', '/order/none'), 5, from('s2', '')],
    kept: { deep: [1] },
  });
  const resolved = resolveBindings(params, lookup);
  expect(resolved).toEqual({ ok: true, args: { amount: 7, list: [null, 5, 'text'], kept: { deep: [1] } } });
  expect(resolved.ok && resolved.args['kept']).toBe(params.kept);
});

test('resolves pointers to escaped names, list items and complete values', () => {
  const params = { x: from('s1', '/a~1b/1/~0'), y: from('s1', '/a~1b/0'), z: from('s1', '') };
  expect(resolveBindings(params, lookup)).toMatchObject({ ok: true, args: { x: 'x', y: true, z: committed['s1'] } });
});

test('resolves arguments that are a single binding', () => {
  expect(resolveBindings(from('s1', '/order'), lookup)).toEqual({ ok: true, args: { total: 7, none: null } });
  expect(resolveBindings(from('s2', ''), lookup)).toMatchObject({
    ok: false,
    problem: { code: 'binding_type_mismatch' },
  });
});

describe('reports as unresolved', () => {
  // biome-ignore format: a table is read by its columns, one row a line
  const rows: readonly (readonly [string, JsonObject])[] = [
    ['a step that committed nothing', from('s9', '')],
    ['a path that is not there', from('s1', '/order/tax')],
    ['a path through a scalar', from('s1', '/order/total/x')],
    ['an inherited property', from('s1', '/order/toString')],
    ['the length of a list', from('s1', '/a~1b/length')],
    ['an index written oddly', from('s1', '/a~1b/01')],
    ['the place after the last', from('s1', '/a~1b/-')],
    ['a step named like an inherited property', from('toString', '')],
    ['half a binding', { $from: 's1' }],
  ];
  test.each(rows)('%s', (_name, binding) => {
    expect(resolveBindings(deepFreeze({ a: { 'b/c': [0, binding] } }), lookup)).toMatchObject({
      ok: false,
      problem: { code: 'binding_unresolved', path: '/a/b~1c/1' },
    });
  });
});

test('does not resolve a committed value that looks like a binding', () => {
  const hostile = { $from: 's2', path: '' };
  const resolved = resolveBindings({ a: from('s1', '') }, () => hostile);
  expect(resolved).toEqual({ ok: true, args: { a: hostile } });
});

test('resolves or refuses any JSON with any bindings, without changing it', () => {
  const binding = fc.record({
    $from: fc.constantFrom('s1', 's2', 's3'),
    path: fc.constantFrom('', '/order', '/order/total', '/x'),
  });
  const params = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.jsonValue({ maxDepth: 1 }),
      binding,
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('json'), { maxKeys: 3 }),
    ),
  })).json;
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), params), (value) => {
      const before = JSON.stringify(value);
      const resolved = resolveBindings(deepFreeze(value) as JsonObject, lookup);
      expect(JSON.stringify(value)).toBe(before);
      if (resolved.ok) expect(JSON.stringify(resolved.args)).not.toContain('"$from":"s1"');
      else expect(resolved.problem.code).toBe('binding_unresolved');
    }),
  );
});
