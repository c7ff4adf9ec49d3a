/** Proves that the order of a plan always takes the first step that is ready. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildGraph, type Dependent, findCycles } from './dependency-graph.ts';

/** The definition of the order: of all nodes without open dependencies, the first in the list goes next. */
function firstReady(dependencies: readonly (readonly number[])[]): readonly number[] {
  const order: number[] = [];
  const isReady = (node: number): boolean =>
    !order.includes(node) && (dependencies[node] ?? []).every((dependency) => order.includes(dependency));
  for (;;) {
    const next = dependencies.findIndex((_, node) => isReady(node));
    if (next < 0) return order;
    order.push(next);
  }
}

/** Mostly backward dependencies, as planners write them, with some on later nodes, itself or unknown ids. */
const nodes: fc.Arbitrary<readonly Dependent[]> = fc
  .array(
    fc.record(
      { depends_on: fc.array(fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 9 })), { maxLength: 3 }) },
      { requiredKeys: [] },
    ),
    { maxLength: 8 },
  )
  .map((list) =>
    list.map(({ depends_on }, at) => ({
      id: `n${at}`,
      ...(depends_on === undefined
        ? {}
        : { depends_on: depends_on.map((back) => `n${back > 3 ? back : at - 1 - back}`) }),
    })),
  );

test('order, ranks, dependencies and dependents match the definition', () => {
  fc.assert(
    fc.property(nodes, (list) => {
      const { dependencies, dependents, order, rank, dangling } = buildGraph(list);
      const placeOf = (name: string): number => list.findIndex(({ id }) => id === name);
      list.forEach(({ depends_on = [] }, node) => {
        expect(dependencies[node]).toEqual([...new Set(depends_on.map(placeOf))].filter((place) => place >= 0));
        expect(dependents[node]).toEqual(
          list.flatMap((_, other) => (dependencies[other]?.includes(node) === true ? [other] : [])),
        );
        const missing = depends_on.flatMap((name, at) => (placeOf(name) < 0 ? [{ node, at }] : []));
        expect(dangling.filter((one) => one.node === node)).toEqual(missing);
        expect(rank[node]).toBe(order.indexOf(node));
      });
      expect(order).toEqual(firstReady(dependencies));
    }),
    { numRuns: 500 },
  );
});

test.each<[string, readonly Dependent[], readonly number[]]>([
  ['nobody waits', [{ id: 'a' }, { id: 'b' }, { id: 'c', depends_on: [] }], [0, 1, 2]],
  ['each waits for the one before it', [{ id: 'a' }, { id: 'b', depends_on: ['a'] }], [0, 1]],
  ['the first waits for the last', [{ id: 'a', depends_on: ['c'] }, { id: 'b' }, { id: 'c' }], [1, 2, 0]],
  ['one waits for itself', [{ id: 'a', depends_on: ['a'] }, { id: 'b' }], [1]],
])('%s', (_, list, order) => {
  const graph = buildGraph(list);
  expect(graph.order).toEqual(order);
  expect(findCycles(graph)).toHaveLength(order.length === list.length ? 0 : 1);
});
