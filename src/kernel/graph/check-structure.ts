import { type EdgeDraft, type GuardDeclaration, TERMINAL_WRITES, TOOL_RULES } from '../../model/plan/graph.ts';
import { isGuardName } from './guard-names.ts';
import { components, edgeLabel, type GraphDiagnostic, interruptGuards, type Layout } from './layout.ts';

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

/** Check 3: every edge has a guard that is declared deterministic, evaluated by the kernel, and supplied. */
export function checkGuards({ draft }: Layout, isSupplied: (guard: string) => boolean): readonly GraphDiagnostic[] {
  const declared = new Map<string, GuardDeclaration>();
  const duplicates: GraphDiagnostic[] = [];
  for (const declaration of draft.guards) {
    const { guard } = declaration;
    if (declared.has(guard)) duplicates.push({ check: 'reference', message: `the guard ${guard} is declared twice` });
    else declared.set(guard, declaration);
  }
  const edges = draft.edges.flatMap((edge): readonly GraphDiagnostic[] => {
    const why = findGuardProblem(edge, declared, isSupplied);
    if (why === null) return [];
    const label = edgeLabel(edge);
    return [{ check: 3, edge: label, message: `${label} ${why}` }];
  });
  return [...duplicates, ...edges];
}

function findGuardProblem(
  { guard }: EdgeDraft,
  declared: ReadonlyMap<string, GuardDeclaration>,
  isSupplied: (guard: string) => boolean,
): string | null {
  if (guard === undefined) return 'has no guard';
  if (!isGuardName(guard)) return `has the guard ${guard}, which is not written as name@version`;
  const declaration = declared.get(guard);
  if (declaration === undefined) return `has the guard ${guard}, which the graph does not declare`;
  if (!declaration.deterministic) return `has the guard ${guard}, which is declared nondeterministic`;
  if (declaration.evaluated_by === 'model')
    return `has the guard ${guard}, which is declared to be evaluated by a model`;
  return isSupplied(guard) ? null : `has the guard ${guard}, which nobody supplies`;
}

const STATIC_TIER_MAX = 3;
const SUPERVISED_TIER = 5;
/** Compared without its version: a stricter version of the approval is also an approval. */
const PLAN_APPROVED = 'plan_approved';

export function checkTier(layout: Layout): readonly GraphDiagnostic[] {
  if (layout.draft.tier <= STATIC_TIER_MAX) return checkStaticPath(layout);
  return layout.draft.tier === SUPERVISED_TIER ? checkSupervisedPlan(layout) : [];
}

/** Up to tier 3 the host decides the path: no edge is a model's choice, and nothing is repaired. */
function checkStaticPath({ draft, nodes }: Layout): readonly GraphDiagnostic[] {
  const chosen = draft.edges
    .filter((edge) => edge.owner === 'model')
    .map((edge): GraphDiagnostic => {
      const label = edgeLabel(edge);
      return {
        check: 'tier',
        edge: label,
        message: `${label} is a model's choice, which tier ${draft.tier} has none of`,
      };
    });
  const repairs = nodes
    .filter((node) => node.role === 'repair')
    .map(
      ({ id }): GraphDiagnostic => ({
        check: 'tier',
        node: id,
        message: `${id} repairs, which tier ${draft.tier} does not`,
      }),
    );
  return [...chosen, ...repairs];
}

/** In tier 5 a person must approve a plan before its first step. */
function checkSupervisedPlan({ nodes, edges }: Layout): readonly GraphDiagnostic[] {
  return edges.flatMap(({ from, to, draft }): readonly GraphDiagnostic[] => {
    const acts = nodes[from]?.role === 'plan_validation' && nodes[to]?.role === 'action_selection';
    if (!acts || draft.guard?.split('@')[0] === PLAN_APPROVED) return [];
    const label = edgeLabel(draft);
    return [{ check: 'tier', edge: label, message: `${label} must be under ${PLAN_APPROVED} in tier 5` }];
  });
}
