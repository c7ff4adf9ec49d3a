export const VIOLATION_KINDS = ['transition', 'proposal', 'state_write', 'claim', 'reflection', 'termination'] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

export const VIOLATION_INDICATORS = ['permission_creep', 'premature_termination'] as const;

/** An attempt to do something that the actor has no right to do. It is recorded and changes nothing. */
export interface Violation {
  readonly violation: ViolationKind;
  readonly subject: string;
  readonly why: string;
  /** Present if a model tried to use a right that it does not have, or declared the run finished too early. */
  readonly indicator?: (typeof VIOLATION_INDICATORS)[number];
}
