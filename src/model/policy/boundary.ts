import { z } from 'zod';
import { PartialCaps } from '../budget/budget.ts';
import { ApprovalMode } from '../gate/approval-mode.ts';
import { Endpoint } from '../gate/escalation.ts';
import { canonicalize } from '../json/canonical.ts';
import { exactObject } from '../json/exact.ts';
import { Name } from '../json/name.ts';
import { ProposalKind } from '../plan/proposal.ts';
import { BoundaryCondition } from './condition.ts';
import { RISK_PROFILES, RiskClass, RiskProfileName } from './risk.ts';
import { TrustedInputs } from './trusted-inputs.ts';

/** The data the model may see. */
export interface ObservationBounds {
  readonly permission_scopes: readonly string[];
  /** Scopes that a person has to release first. */
  readonly confirm_scopes: readonly string[];
  readonly authority_min: number;
  readonly personal_data: 'withheld' | 'allowed';
  /** Inputs that are untrusted in runs recorded without `trusted_inputs`. In new runs every unnamed input is. */
  readonly untrusted_inputs?: readonly string[];
  /**
   * The inputs that the host vouches for, with their types. Every other input is untrusted: a plan made after reading
   * it counts as tainted. Every new run records the field; a run without it trusts all but `untrusted_inputs` (ADR 0063).
   */
  readonly trusted_inputs?: TrustedInputs;
}
const ObservationFields: z.ZodType<ObservationBounds> = exactObject({
  permission_scopes: z.array(Name),
  confirm_scopes: z.array(Name),
  authority_min: z.int().nonnegative(),
  personal_data: z.enum(['withheld', 'allowed']),
  untrusted_inputs: z.array(Name).exactOptional(),
  trusted_inputs: TrustedInputs.exactOptional(),
});
export const ObservationBounds: z.ZodType<ObservationBounds> = ObservationFields.refine(
  ({ untrusted_inputs = [], trusted_inputs = {} }) =>
    !untrusted_inputs.some((input) => Object.hasOwn(trusted_inputs, input)),
  { message: 'must not name an input that trusted_inputs names too', path: ['untrusted_inputs'] },
);

/** The state changes the model may propose. The system decides whether to apply them. */
export interface StateWriteBounds {
  readonly task_state: 'refused' | 'proposed';
  readonly persistent_memory: 'refused' | 'approval' | 'proposed';
}
export const StateWriteBounds: z.ZodType<StateWriteBounds> = exactObject({
  task_state: z.enum(['refused', 'proposed']),
  persistent_memory: z.enum(['refused', 'approval', 'proposed']),
});

/** The gate that a boundary requires for a tool, in addition to the gates of tool, decisions and plan. */
export const BOUNDARY_GATE = 'GATE_BOUNDARY_APPROVAL';

export interface ToolBounds {
  readonly allowed: readonly string[];
  /** Tools that wait at `BOUNDARY_GATE`. */
  readonly needs_approval: readonly string[];
  readonly mode_max: ApprovalMode;
  readonly risk_max: RiskClass;
  /** The reaction to a value from an untrusted source in a sensitive argument. */
  readonly untrusted_arguments: 'shown' | 'refused';
  /** Whether a request approves the calls it states word for word. If absent, it approves none. */
  readonly request_grants?: 'none' | 'stated';
  /**
   * Conditions that deny a call before a gate opens, those of the risk profile included. Every new run with a profile
   * records them; a run without the field has none (ADR 0068).
   */
  readonly conditions?: readonly BoundaryCondition[];
}
export const ToolBounds: z.ZodType<ToolBounds> = exactObject({
  allowed: z.array(Name),
  needs_approval: z.array(Name),
  mode_max: ApprovalMode,
  risk_max: RiskClass,
  untrusted_arguments: z.enum(['shown', 'refused']),
  request_grants: z.enum(['none', 'stated']).exactOptional(),
  conditions: z.array(BoundaryCondition).max(100).exactOptional(),
});

/**
 * The boundary of a run, in its six dimensions. The run manifest stores all of it, so that every decision uses the
 * version that authorised the run, even if newer versions exist.
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
  /** The permitted recipients of authority in this run. */
  readonly escalation_paths: readonly Endpoint[];
}
export const Boundary: z.ZodType<Boundary> = exactObject({
  boundary_id: Name,
  version: Name,
  profile: RiskProfileName.nullable(),
  observations: ObservationBounds,
  state_writes: StateWriteBounds,
  tools: ToolBounds,
  decision_rights: z.array(ProposalKind),
  resource_budgets: PartialCaps,
  escalation_paths: z.array(Endpoint).min(1, 'must name at least one endpoint that can take over'),
});

/** The names of the dimensions, in review order. */
export const BOUNDARY_DIMENSIONS: readonly (keyof Boundary)[] = [
  'observations',
  'state_writes',
  'tools',
  'decision_rights',
  'resource_budgets',
  'escalation_paths',
];

/** The conditions of a boundary: those of its profile, and its own. A custom boundary adds conditions, and drops none. */
export function conditionsOf({ profile, tools }: Boundary): readonly BoundaryCondition[] {
  const shipped = profile === null ? [] : RISK_PROFILES[profile].fails_closed;
  const own = (tools.conditions ?? []).filter((one) => !shipped.some((other) => isSame(one, other)));
  return [...shipped, ...own];
}

const isSame = (a: BoundaryCondition, b: BoundaryCondition): boolean =>
  canonicalize({ ...a }) === canonicalize({ ...b });
