/** Proves that answering all questions together gives the same results as one search per question. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildGraph, type DependencyGraph } from '../state/dependency-graph.ts';
import { answerAncestry } from './ancestry.ts';

/** Steps in random order with random dependencies; some plans have cycles. */
const graphs: fc.Arbitrary<DependencyGraph> = fc.integer({ min: 1, max: 60 }).chain((count) =>
  fc.array(fc.array(fc.nat(count - 1), { maxLength: 3 }), { minLength: count, maxLength: count }).chain((edges) =>
    fc.boolean().map((forward) =>
      buildGraph(
        edges.map((depends, index) => ({
          id: `n${index}`,
          depends_on: depends
            .filter((other) => (forward ? other > index : other < index || index % 17 === 3))
            .map((other) => `n${other}`),
        })),
      ),
    ),
  ),
);

function ancestors(graph: DependencyGraph, start: number): ReadonlySet<number> {
  const seen = new Set<number>();
  const queue = [start];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const dependency of graph.dependencies[node] ?? []) if (!seen.has(dependency)) queue.push(dependency);
    for (const dependency of graph.dependencies[node] ?? []) seen.add(dependency);
  }
  return seen;
}

test('answers like one search per question', () => {
  fc.assert(
    fc.property(graphs, fc.array(fc.array(fc.nat(59), { maxLength: 3 }), { maxLength: 80 }), (graph, drawn) => {
      const count = graph.rank.length;
      const groups = drawn.map((group) => group.filter((node) => node < count));
      const questions = groups.flatMap((_, group) => graph.order.map((step) => ({ group, step })));
      const expected = questions.map(
        ({ group, step }) => groups[group]?.some((node) => ancestors(graph, step).has(node)) ?? false,
      );
      expect(answerAncestry(graph, groups, questions)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('sweeps over a hundred groups do not share marks', () => {
  const nodes = Array.from({ length: 100 }, (_, index) => ({
    id: `n${index}`,
    ...(index === 0 ? {} : { depends_on: [`n${index - 1}`] }),
  }));
  const graph = buildGraph(nodes);
  const questions = nodes.flatMap((_, group) => nodes.map((__, step) => ({ group, step })));
  const answers = answerAncestry(
    graph,
    nodes.map((_, index) => [index]),
    questions,
  );
  expect(answers).toEqual(questions.map(({ group, step }) => step > group));
});

test('a group that reaches into a later sweep leaves no marks there', () => {
  const free = Array.from({ length: 40 }, (_, index) => ({ id: `n${index}` }));
  const graph = buildGraph([...free, { id: 'last', depends_on: ['n39'] }]);
  const groups = [[0, 39], ...Array.from({ length: 32 }, (_, index) => [index + 1])];
  const questions = groups.map((_, group) => ({ group, step: 40 }));
  expect(answerAncestry(graph, groups, questions)).toEqual(groups.map((_, group) => group === 0));
});

test('a step is not its own ancestor', () => {
  const graph = buildGraph([{ id: 'a' }, { id: 'b', depends_on: ['a'] }]);
  const questions = [
    { group: 0, step: 0 },
    { group: 0, step: 1 },
  ];
  expect(answerAncestry(graph, [[0]], questions)).toEqual([false, true]);
});

test('10,000 questions about nearby steps read the plan less than twice', () => {
  let reads = 0;
  const counted = <T extends object>(list: T): T =>
    new Proxy(list, {
      get: (target, key) => {
        reads += 1;
        return Reflect.get(target, key);
      },
    });
  const nodes = Array.from({ length: 10_000 }, (_, index) => ({
    id: `n${index}`,
    ...(index === 0 ? {} : { depends_on: [`n${index - 1}`] }),
  }));
  const graph = buildGraph(nodes);
  const groups = nodes.map((_, index) => [index]);
  const questions = nodes.slice(2).map((_, index) => ({ group: index, step: index + 2 }));
  expect(
    answerAncestry({ ...graph, dependencies: counted(graph.dependencies) }, groups, questions).every(Boolean),
  ).toBe(true);
  expect(reads).toBeLessThan(2 * nodes.length);
});
