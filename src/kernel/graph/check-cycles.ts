import type { CycleBound } from '../../model/plan/graph.ts';
import { components } from './components.ts';
import type { GraphDiagnostic } from './diagnostic.ts';
import type { Layout, PlacedEdge } from './layout.ts';

/**
 * Check 2: every cycle contains a bounded node. The graph without its bounded nodes must therefore be acyclic; any
 * cycle left in it never ends. A bound that does not fit its node is reported separately.
 */
export function checkCycles(layout: Layout): readonly GraphDiagnostic[] {
  return [...findInvalidBounds(layout), ...findUnboundedCycles(layout)];
}

function findUnboundedCycles({ nodes, leaving }: Layout): readonly GraphDiagnostic[] {
  const free = nodes.map((node) => node.bound === undefined && node.terminal !== true);
  const successors = leaving.map((edges, index) =>
    free[index] === true ? edges.flatMap(({ to }) => (free[to] === true ? [to] : [])) : [],
  );
  return components(successors).flatMap((members): readonly GraphDiagnostic[] => {
    const cycle = cycleThrough(members, successors);
    if (cycle.length === 0) return [];
    const ids = cycle.map((member) => nodes[member]?.id ?? '');
    const message = `${ids.join(' -> ')} has no exit condition, retry limit, budget limit or escalation path`;
    return [{ check: 2, node: ids[0] ?? '', message }];
  });
}

/** The shortest cycle through the first node of the component; empty if there is none. */
function cycleThrough(members: readonly number[], successors: readonly (readonly number[])[]): readonly number[] {
  const start = members[0];
  if (start === undefined) return [];
  const inside = new Set(members);
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const to of successors[node] ?? []) {
      if (!inside.has(to) || cameFrom.has(to)) continue;
      cameFrom.set(to, node);
      if (to === start) return unwind(start, cameFrom);
      queue.push(to);
    }
  }
  return [];
}

function unwind(start: number, cameFrom: ReadonlyMap<number, number>): readonly number[] {
  const path = [start];
  let node = cameFrom.get(start);
  while (node !== undefined && node !== start) {
    path.push(node);
    node = cameFrom.get(node);
  }
  return [...path, start].reverse();
}

function findInvalidBounds(layout: Layout): readonly GraphDiagnostic[] {
  const componentOf = componentNumbers(layout);
  return layout.nodes.flatMap(({ id, bound }, index): readonly GraphDiagnostic[] => {
    if (bound === undefined) return [];
    const exits = layout.leaving[index] ?? [];
    const why = findBoundProblem(bound, exits, layout, (exit) => componentOf[exit.to] !== componentOf[index]);
    return why === null ? [] : [{ check: 2, node: id, message: `the bound of ${id} does not hold: ${why}` }];
  });
}

/** An exit condition must leave the cycle, and an escalation must lead to a person or to the end. */
function findBoundProblem(
  bound: CycleBound,
  exits: readonly PlacedEdge[],
  { nodes }: Layout,
  leaves: (exit: PlacedEdge) => boolean,
): string | null {
  if (bound.kind === 'exit_condition') {
    const out = exits.some((exit) => exit.draft.guard === bound.guard && leaves(exit));
    return out ? null : `no edge under ${bound.guard} leads out of the cycle`;
  }
  if (bound.kind === 'escalation_path') {
    const target = exits.find((exit) => exit.draft.to === bound.to)?.to;
    const node = target === undefined ? undefined : nodes[target];
    if (node?.role === 'human_approval' || node?.terminal === true) return null;
    return `${bound.to} is not a person or an end that an edge leads to`;
  }
  return null;
}

function componentNumbers({ leaving }: Layout): Int32Array {
  const numbers = new Int32Array(leaving.length);
  components(leaving.map((edges) => edges.map((edge) => edge.to))).forEach((members, number) => {
    for (const member of members) numbers[member] = number;
  });
  return numbers;
}
