import { edgeLabel, type GraphDiagnostic } from './diagnostic.ts';
import type { Layout } from './layout.ts';

const STATIC_TIER_MAX = 3;
const SUPERVISED_TIER = 5;
/** Any version of it: a sharper meaning of approval still is approval. */
const PLAN_APPROVED = 'plan_approved';

/** A graph keeps the promise of the rung it claims to stand on. */
export function checkTier(layout: Layout): readonly GraphDiagnostic[] {
  if (layout.draft.tier <= STATIC_TIER_MAX) return staticPath(layout);
  return layout.draft.tier === SUPERVISED_TIER ? supervisedPlan(layout) : [];
}

/** Up to tier 3 the path is the host's: no edge is a model's choice, and nothing is repaired or planned anew. */
function staticPath({ draft, nodes }: Layout): readonly GraphDiagnostic[] {
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

/** In tier 5 no plan is acted on that a person has not approved. */
function supervisedPlan({ nodes, edges }: Layout): readonly GraphDiagnostic[] {
  return edges.flatMap(({ from, to, draft }): readonly GraphDiagnostic[] => {
    const acts = nodes[from]?.role === 'plan_validation' && nodes[to]?.role === 'action_selection';
    if (!acts || draft.guard?.split('@')[0] === PLAN_APPROVED) return [];
    const label = edgeLabel(draft);
    return [{ check: 'tier', edge: label, message: `${label} must be under ${PLAN_APPROVED} in tier 5` }];
  });
}
