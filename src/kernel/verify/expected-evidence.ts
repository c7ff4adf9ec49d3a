import type { ToolSpec } from '../../model/tool/tool.ts';
import type { DependencyGraph } from '../state/dependency-graph.ts';

/** The order of a plan, and the tool of each step; undefined if it is unknown. */
export interface PlannedTools {
  readonly graph: DependencyGraph;
  readonly specs: readonly (ToolSpec | undefined)[];
}

/**
 * The evidence types that earlier steps of the plan will have produced, by step. Without them a policy would refuse a
 * plan for missing evidence that the plan is about to collect.
 */
export function expectedEvidence(
  { graph, specs }: PlannedTools,
  done: readonly boolean[],
): readonly (readonly string[])[] {
  let earlier: readonly string[] = [];
  // Steps in or behind a cycle keep the empty list.
  const expected: (readonly string[])[] = specs.map(() => earlier);
  for (const index of graph.order) {
    expected[index] = earlier;
    const spec = specs[index];
    if (spec !== undefined && done[index] !== true) earlier = addTypes(earlier, spec.produces);
  }
  return expected;
}

/** Returns the same list if it already contains all types. */
function addTypes(coming: readonly string[], produced: readonly string[]): readonly string[] {
  for (const type of produced) {
    if (!coming.includes(type)) return [...coming, ...produced.filter((news) => !coming.includes(news))];
  }
  return coming;
}
