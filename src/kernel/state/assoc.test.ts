import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Assoc, assocGet, assocPut } from './assoc.ts';

const put = <V>(entries: readonly (readonly [string, V])[], from: Assoc<V> = null): Assoc<V> =>
  entries.reduce<Assoc<V>>((assoc, [name, value]) => assocPut(assoc, name, value), from);

function nodesOf<V>(assoc: Assoc<V>): Set<object> {
  const nodes = new Set<object>();
  const visit = (node: Assoc<V>): void => {
    if (node === null) return;
    nodes.add(node);
    visit(node.left);
    visit(node.right);
  };
  visit(assoc);
  return nodes;
}

function newIn<V>(after: Assoc<V>, before: Assoc<V>): number {
  const shared = nodesOf(before);
  return [...nodesOf(after)].filter((node) => !shared.has(node)).length;
}

const depthOf = <V>(assoc: Assoc<V>): number =>
  assoc === null ? 0 : 1 + Math.max(depthOf(assoc.left), depthOf(assoc.right));

const anyName = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', 'toString', '', '1', '10', '9'),
  fc.nat(20).map((n) => `s${n}`),
);
const anyEntries = fc.array(fc.tuple(anyName, fc.nat()));

describe('assoc laws', () => {
  test('returns the same values as a Map', () => {
    fc.assert(
      fc.property(anyEntries, anyName, (entries, other) => {
        const [assoc, map] = [put(entries), new Map(entries)];
        for (const name of [...map.keys(), other]) expect(assocGet(assoc, name)).toBe(map.get(name));
        expect(nodesOf(assoc).size).toBe(map.size);
      }),
    );
  });

  test('puts into later versions do not change an earlier one', () => {
    fc.assert(
      fc.property(anyEntries, anyEntries, (first, second) => {
        const before = put(first);
        const bytes = JSON.stringify(before);
        put(second, before);
        expect(JSON.stringify(before)).toBe(bytes);
      }),
    );
  });

  test('a put copies only the path to the name', () => {
    fc.assert(
      fc.property(anyEntries, anyName, fc.nat(), (entries, name, value) => {
        const before = put(entries);
        const most = 2 * Math.ceil(Math.log2(nodesOf(before).size + 2));
        expect(depthOf(before)).toBeLessThanOrEqual(most);
        // A rotation also copies the parent that moves down, at most two per level.
        expect(newIn(assocPut(before, name, value), before)).toBeLessThanOrEqual(3 * most);
      }),
    );
  });
});

test.each([
  ['rising', (n: number) => String(n).padStart(5, '0')],
  ['falling', (n: number) => String(99_999 - n)],
  ['scattered', (n: number) => String((n * 7_919) % 10_007)],
])('adding one name to 10,000 %s names copies at most 30 nodes', (_order, nameOf) => {
  const names = Array.from({ length: 10_000 }, (_, n) => nameOf(n));
  const before = put(names.map((name, n) => [name, n]));
  expect(depthOf(before)).toBeLessThanOrEqual(28);
  expect(newIn(assocPut(before, 'one more', 0), before)).toBeLessThanOrEqual(30);
});
