import fc from 'fast-check';
import { expect, test } from 'vitest';
import { components } from './components.ts';

/** The definition, computed naively: two nodes share a component if each is reachable from the other. */
function naiveComponents(successors: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const reach = successors.map((_, start) => {
    const seen = new Set([start]);
    for (const node of seen) for (const next of successors[node] ?? []) seen.add(next);
    return seen;
  });
  const groups = successors.map((_, a) =>
    successors.flatMap((_s, b) => (reach[a]?.has(b) && reach[b]?.has(a) ? [b] : [])),
  );
  return groups.filter((group, index) => group[0] === index);
}

const graphs = fc
  .integer({ min: 0, max: 9 })
  .chain((size) =>
    fc.array(fc.array(fc.nat({ max: Math.max(0, size - 1) }), { maxLength: 4 }), { minLength: size, maxLength: size }),
  );

test('finds the components of the definition', () => {
  fc.assert(
    fc.property(graphs, (successors) => {
      const found = components(successors).toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
      expect(found).toEqual(naiveComponents(successors));
    }),
  );
});

test('lists a component after all components it leads to', () => {
  fc.assert(
    fc.property(graphs, (successors) => {
      const place = new Map(components(successors).flatMap((members, at) => members.map((member) => [member, at])));
      for (const [from, targets] of successors.entries()) {
        for (const to of targets) expect(place.get(to)).toBeLessThanOrEqual(place.get(from) ?? -1);
      }
    }),
  );
});

test('handles a chain of 100,000 nodes without a stack overflow', () => {
  const line = Array.from({ length: 100_000 }, (_, at) => (at === 99_999 ? [] : [at + 1]));
  expect(components(line)).toHaveLength(100_000);
});
