import { edgeLabel, type GraphDiagnostic } from './diagnostic.ts';
import type { Layout } from './layout.ts';

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
