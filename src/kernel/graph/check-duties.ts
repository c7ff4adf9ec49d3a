import { TERMINAL_WRITES, TOOL_RULES } from '../../model/graph.ts';
import type { GraphDiagnostic } from './diagnostic.ts';
import type { Layout } from './layout.ts';

/** Check 4: a node that reaches tools names all five rules. Declaring even one makes a node such a node. */
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
 * Check 6: a terminal node leaves all four kinds of metadata behind. The kernel closes a run on the terminate role
 * alone, so the flag and the role must say the same.
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
