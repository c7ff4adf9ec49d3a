import { components } from './components.ts';
import type { GraphDiagnostic } from './diagnostic.ts';
import { interruptGuards, type Layout } from './layout.ts';

/**
 * Check 1: a node that is not terminal has an exit of its own. The orchestrator's interrupts do not count, or every
 * dead end would pass because it can at least be cancelled. A terminal node has no exit at all.
 */
export function checkExits({ draft, nodes, leaving }: Layout): readonly GraphDiagnostic[] {
  const halts = interruptGuards(draft);
  const working = new Set(draft.edges.flatMap(({ from, guard }) => (guard && halts.has(guard) ? [] : [from])));
  return nodes.flatMap(({ id, terminal }, index): readonly GraphDiagnostic[] => {
    if (terminal === true && (leaving[index]?.length ?? 0) > 0) {
      return [{ check: 1, node: id, message: `${id} is terminal and must have no outgoing edge` }];
    }
    if (terminal === true || working.has(id)) return [];
    return [{ check: 1, node: id, message: `${id} is not terminal and has no outgoing edge` }];
  });
}

/**
 * Check 5: from wherever a run was halted, failed, spent or handed on, a terminal node can be reached. If some node
 * cannot reach one, then all its ways end in a dead end, which check 1 names, or in a set of nodes that lead only to
 * each other. Naming that set once says what to mend; naming everything upstream of it would not.
 */
export function checkTraps({ nodes, leaving }: Layout): readonly GraphDiagnostic[] {
  const successors = leaving.map((edges) => edges.map((edge) => edge.to));
  return components(successors).flatMap((members): readonly GraphDiagnostic[] => {
    const inside = new Set(members);
    const exits = members.flatMap((member) => successors[member] ?? []);
    const trapped = exits.length > 0 && exits.every((to) => inside.has(to));
    if (!trapped || members.some((member) => nodes[member]?.terminal === true)) return [];
    const ids = members.map((member) => nodes[member]?.id ?? '');
    const message = `no terminal node can be reached from ${ids.join(', ')}: every exit leads back to them`;
    return [{ check: 5, node: ids[0] ?? '', message }];
  });
}
