import type { DependencyGraph } from '../state/dependency-graph.ts';

/** Asks whether `step` depends, directly or transitively, on a step of the group. */
export interface AncestryQuestion {
  readonly group: number;
  readonly step: number;
}

/** One bit of a 32-bit integer per group. */
const GROUPS_PER_SWEEP = 32;

/**
 * Answers all questions together. A sweep carries the marks of 32 groups along the order, only from their first member
 * to the last step in question. Many groups with questions about nearby steps (every step bound to the one before last)
 * therefore cost about one pass through the plan, and so does one group with questions about every step.
 */
export function answerAncestry(
  graph: DependencyGraph,
  groups: readonly (readonly number[])[],
  questions: readonly AncestryQuestion[],
): readonly boolean[] {
  if (questions.length === 0) return [];
  const asked: number[][] = groups.map(() => []);
  questions.forEach(({ group }, index) => {
    asked[group]?.push(index);
  });
  const answers = questions.map(() => false);
  const own = new Int32Array(graph.order.length);
  const carried = new Int32Array(graph.order.length);
  const rankOf = (node: number | undefined): number => graph.rank[node ?? -1] ?? -1;
  for (const sweep of planSweeps(graph, groups)) {
    let to = -1;
    sweep.groups.forEach((group, bit) => {
      for (const node of groups[group] ?? [])
        if (rankOf(node) >= 0) own[rankOf(node)] = (own[rankOf(node)] ?? 0) | (1 << bit);
      for (const index of asked[group] ?? []) to = Math.max(to, rankOf(questions[index]?.step));
    });
    carry(graph, own, carried, { from: sweep.from, to });
    sweep.groups.forEach((group, bit) => {
      for (const index of asked[group] ?? []) {
        const rank = rankOf(questions[index]?.step);
        answers[index] = rank >= sweep.from && ((carried[rank] ?? 0) & (1 << bit)) !== 0;
      }
      for (const node of groups[group] ?? []) if (rankOf(node) >= 0) own[rankOf(node)] = 0;
    });
  }
  return answers;
}

interface Sweep {
  readonly groups: readonly number[];
  readonly from: number;
}

/** Puts groups that start near each other into one sweep. */
function planSweeps(graph: DependencyGraph, groups: readonly (readonly number[])[]): readonly Sweep[] {
  const startingAt: number[][] = graph.order.map(() => []);
  groups.forEach((members, group) => {
    let first = Number.POSITIVE_INFINITY;
    for (const node of members) {
      const rank = graph.rank[node] ?? -1;
      if (rank >= 0 && rank < first) first = rank;
    }
    startingAt[first]?.push(group);
  });
  const sweeps: { groups: number[]; from: number }[] = [];
  startingAt.forEach((starting, from) => {
    for (const group of starting) {
      const open = sweeps.at(-1);
      if (open === undefined || open.groups.length === GROUPS_PER_SWEEP) sweeps.push({ groups: [group], from });
      else open.groups.push(group);
    }
  });
  return sweeps;
}

function carry(
  graph: DependencyGraph,
  own: Int32Array,
  carried: Int32Array,
  range: { readonly from: number; readonly to: number },
): void {
  for (let place = range.from; place <= range.to; place += 1) {
    let marks = 0;
    for (const dependency of graph.dependencies[graph.order[place] ?? -1] ?? []) {
      const rank = graph.rank[dependency] ?? -1;
      if (rank >= range.from) marks |= (carried[rank] ?? 0) | (own[rank] ?? 0);
    }
    carried[place] = marks;
  }
}
