import { TERMINAL_WRITES, TOOL_RULES } from '../../model/plan/graph.ts';
import { components } from './components.ts';
import type { GraphDiagnostic } from './diagnostic.ts';
import { interruptGuards, type Layout } from './layout.ts';

/**
 * Check 1: a node that is not terminal has an exit of its own, and a terminal node has none. Interrupts do not count:
 * otherwise every dead end would pass, because it can at least be cancelled.
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
 * Check 5: every node can reach a terminal node. A node that cannot leads to a dead end, which check 1 reports, or to a
 * set of nodes with edges only among themselves. Only that set is reported, not the nodes upstream of it, because it is
 * what has to be fixed.
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

/** Check 4: a node that calls tools declares all five rules. A node that declares one of them counts as such a node. */
export function checkToolNodes({ nodes }: Layout): readonly GraphDiagnostic[] {
  return nodes
    .filter((node) => node.role === 'tool_invocation' || node.tool !== undefined)
    .flatMap(({ id, tool }) =>
      TOOL_RULES.filter((rule) => tool?.[rule] === undefined).map(
        (rule): GraphDiagnostic => ({ check: 4, node: id, message: `${id} reaches tools but has no ${rule} rule` }),
      ),
    );
}

/**
 * Check 6: a terminal node writes all four kinds of metadata. The kernel closes a run by the `terminate` role alone, so
 * flag and role must agree.
 */
export function checkTerminals({ nodes }: Layout): readonly GraphDiagnostic[] {
  return nodes.flatMap(({ id, role, terminal = false, writes = [] }): readonly GraphDiagnostic[] => {
    if (terminal !== (role === 'terminate')) {
      const message = terminal ? `${id} is terminal but its role is ${role}` : `${id} must be marked as terminal`;
      return [{ check: 6, node: id, message }];
    }
    if (!terminal) return [];
    return TERMINAL_WRITES.filter((write) => !writes.includes(write)).map((write) => ({
      check: 6,
      node: id,
      message: `${id} is terminal but does not write ${write}`,
    }));
  });
}
