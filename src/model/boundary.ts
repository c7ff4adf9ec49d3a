import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import { PartialCaps } from './budget.ts';
import { Endpoint } from './escalation.ts';
import { Name } from './name.ts';
import { ProposalKind } from './proposal.ts';
import { RiskClass } from './risk.ts';
import { RiskProfileName } from './risk-profile.ts';

/** What the model may be shown. */
export interface ObservationBounds {
  readonly permission_scopes: readonly string[];
  /** Scopes that a person has to open first. */
  readonly confirm_scopes: readonly string[];
  readonly authority_min: number;
  readonly personal_data: 'withheld' | 'allowed';
  /** Inputs that carry somebody else's text, such as a document: whoever plans after reading them has read a stranger. */
  readonly untrusted_inputs?: readonly string[];
}
export const ObservationBounds: z.ZodType<ObservationBounds> = z.strictObject({
  permission_scopes: z.array(Name),
  confirm_scopes: z.array(Name),
  authority_min: z.int().nonnegative(),
  personal_data: z.enum(['withheld', 'allowed']),
  untrusted_inputs: z.array(Name).exactOptional(),
});

/** Which changes of state the model may nominate. The system makes them, or does not. */
export interface StateWriteBounds {
  readonly task_state: 'refused' | 'proposed';
  readonly persistent_memory: 'refused' | 'approval' | 'proposed';
}
export const StateWriteBounds: z.ZodType<StateWriteBounds> = z.strictObject({
  task_state: z.enum(['refused', 'proposed']),
  persistent_memory: z.enum(['refused', 'approval', 'proposed']),
});

/** The gate that a boundary itself puts before a tool, on top of what tool, decisions and plan ask for. */
export const BOUNDARY_GATE = 'GATE_BOUNDARY_APPROVAL';

export interface ToolBounds {
  readonly allowed: readonly string[];
  /** Tools that wait at the boundary's own gate. */
  readonly needs_approval: readonly string[];
  readonly mode_max: ApprovalMode;
  readonly risk_max: RiskClass;
  /** What happens when a value from an untrusted source reaches a sensitive argument. */
  readonly untrusted_arguments: 'shown' | 'refused';
  /** Whether a request approves the calls it states word for word. Nothing is approved by asking where this is absent. */
  readonly request_grants?: 'none' | 'stated';
}
export const ToolBounds: z.ZodType<ToolBounds> = z.strictObject({
  allowed: z.array(Name),
  needs_approval: z.array(Name),
  mode_max: ApprovalMode,
  risk_max: RiskClass,
  untrusted_arguments: z.enum(['shown', 'refused']),
  request_grants: z.enum(['none', 'stated']).exactOptional(),
});

/**
 * The bound itself, in its six dimensions. Stored whole in the run manifest, so that every decision is
 * judged by the version that authorised the run, whatever has been published since.
 */
export interface Boundary {
  readonly boundary_id: string;
  readonly version: string;
  readonly profile: RiskProfileName | null;
  readonly observations: ObservationBounds;
  readonly state_writes: StateWriteBounds;
  readonly tools: ToolBounds;
  readonly decision_rights: readonly ProposalKind[];
  readonly resource_budgets: PartialCaps;
  /** Who may be handed authority in this run. */
  readonly escalation_paths: readonly Endpoint[];
}
export const Boundary: z.ZodType<Boundary> = z.strictObject({
  boundary_id: Name,
  version: Name,
  profile: RiskProfileName.nullable(),
  observations: ObservationBounds,
  state_writes: StateWriteBounds,
  tools: ToolBounds,
  decision_rights: z.array(ProposalKind),
  resource_budgets: PartialCaps,
  escalation_paths: z.array(Endpoint).min(1, 'must name somebody who can be handed authority'),
});

/** The dimensions by name, in the order in which a reviewer reads them. */
export const BOUNDARY_DIMENSIONS: readonly (keyof Boundary)[] = [
  'observations',
  'state_writes',
  'tools',
  'decision_rights',
  'resource_budgets',
  'escalation_paths',
];
