/** Proves that the order of a plan is the one that taking the first that is ready gives, in order already or not. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildGraph, circles, type Dependent } from './dependency-graph.ts';

/** By the definition: of all that wait for nothing more, the one that stands first goes next. */
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

/** Mostly backward, as planners write, with some that wait for later ones, for themselves or for nobody there is. */
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

test('order, ranks and both ends of every edge', () => {
  fc.assert(
    fc.property(nodes, (given) => {
      const { dependencies, dependents, order, rank, dangling } = buildGraph(given);
      const placeOf = (name: string): number => given.findIndex(({ id }) => id === name);
      given.forEach(({ depends_on = [] }, node) => {
        expect(dependencies[node]).toEqual([...new Set(depends_on.map(placeOf))].filter((place) => place >= 0));
        expect(dependents[node]).toEqual(
          given.flatMap((_, other) => (dependencies[other]?.includes(node) === true ? [other] : [])),
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
])('%s', (_, given, order) => {
  const graph = buildGraph(given);
  expect(graph.order).toEqual(order);
  expect(circles(graph)).toHaveLength(order.length === given.length ? 0 : 1);
});
