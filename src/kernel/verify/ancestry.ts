import type { DependencyGraph } from './dependency-graph.ts';

/** Does `step` wait, directly or through others, for one of the steps of the group? */
export interface Question {
  readonly group: number;
  readonly step: number;
}

/** One bit of a machine word per group. */
const GROUPS_PER_SWEEP = 32;

/**
 * Answers all questions together. A sweep carries the marks of 32 groups along the order, and only from their
 * first member to the last step that was asked about. So many groups that are each asked about nearby (every
 * step bound to the one before last) cost one walk through the plan in all, and so does one group asked
 * about everywhere.
 */
export function answerAncestry(
  graph: DependencyGraph,
  groups: readonly (readonly number[])[],
  questions: readonly Question[],
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

/** Groups that start near each other share a sweep. */
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
