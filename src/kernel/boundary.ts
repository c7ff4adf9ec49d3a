import { type ApprovalMode, compareModes } from '../model/approval-mode.ts';
import type { Boundary, ToolBounds } from '../model/boundary.ts';
import { PROPOSAL_KINDS, type ProposalKind } from '../model/proposal.ts';
import { atLeast, type RiskClass } from '../model/risk.ts';
import { RISK_PROFILES, type RiskProfile } from '../model/risk-profile.ts';

export type Admission =
  | { readonly ok: true; readonly kind: ProposalKind }
  | { readonly ok: false; readonly code: 'proposal_outside_boundary'; readonly message: string };

/** A model may say six kinds of things, and of those the ones its boundary leaves it. The rest is not heard. */
export function admitProposal(kind: string, rights: readonly ProposalKind[] = PROPOSAL_KINDS): Admission {
  const right = rights.find((each) => each === kind);
  if (right !== undefined) return { ok: true, kind: right };
  return { ok: false, code: 'proposal_outside_boundary', message: `a model may propose ${rights.join(', ')}` };
}

export type ActionClass = 'free' | 'needs_approval' | 'fail_closed';

/**
 * What a risk profile says about a kind of action. Any condition that was reported stops it before a person is asked,
 * because nobody can approve a mismatch away; a kind of action the profile does not know is not allowed.
 */
export function classify(profile: RiskProfile, kind: string | null, conditions: readonly string[]): ActionClass {
  if (conditions.length > 0 || kind === null) return 'fail_closed';
  if (profile.needs_approval.includes(kind)) return 'needs_approval';
  return profile.free.includes(kind) ? 'free' : 'fail_closed';
}

/** What the system, not the model, knows about an action it is asked to take. */
export interface ActionFacts {
  readonly tool: string;
  readonly mode: ApprovalMode;
  readonly risk: RiskClass;
  /** What the action is in the words of the risk profile. Without such a label nothing passes a profile. */
  readonly kind: string | null;
  /** Conditions of the profile that were found to hold, such as `identity_mismatch`. */
  readonly conditions: readonly string[];
  /** A value from an untrusted source has reached a sensitive argument. */
  readonly untrusted: boolean;
}

/** A ruling cites the version it was made under, so that a later edit cannot be mistaken for its ground. */
export interface BoundaryRuling {
  readonly outcome: ActionClass;
  readonly because: string;
  readonly boundary_version: string;
}

/** The ruling of the boundary that authorised the run. Whatever fails closed beats whatever asks for approval. */
export function ruleOnAction(boundary: Boundary, action: ActionFacts): BoundaryRuling {
  const { tools, profile, version } = boundary;
  const ruling = (outcome: ActionClass, because: string): BoundaryRuling => ({
    outcome,
    because,
    boundary_version: version,
  });
  const refusal = refusalBy(tools, action);
  if (refusal !== null) return ruling('fail_closed', refusal);
  const known = profile === null ? 'free' : classify(RISK_PROFILES[profile], action.kind, action.conditions);
  if (known === 'fail_closed') return ruling('fail_closed', 'action_not_in_profile');
  if (known === 'needs_approval') return ruling('needs_approval', 'profile');
  return tools.needs_approval.includes(action.tool)
    ? ruling('needs_approval', 'tool')
    : ruling('free', 'within_bounds');
}

function refusalBy(tools: ToolBounds, action: ActionFacts): string | null {
  if (!tools.allowed.includes(action.tool)) return 'tool_not_allowed';
  if (compareModes(action.mode, tools.mode_max) > 0) return 'mode_max_exceeded';
  if (!atLeast(tools.risk_max, action.risk)) return 'risk_max_exceeded';
  if (action.untrusted && tools.untrusted_arguments === 'refused') return 'untrusted_argument';
  return action.conditions[0] ?? null;
}
