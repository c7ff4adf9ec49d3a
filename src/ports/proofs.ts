import type { Frame } from '../model/events/frame.ts';
import type { RecordedDecision } from '../model/gate/recorded-decision.ts';
import type { AlteredEvent } from '../model/record/altered-event.ts';

/**
 * Why a recorded decision is unproven:
 *
 * - `before_keys`: it is not signed, and was recorded before the first key was enrolled.
 * - `unsigned`: it is not signed, although keys were enrolled.
 * - `key_unknown`: no key of the tenant has the key id.
 * - `key_not_valid`: the key was not enrolled yet, expired or revoked at the time of the decision.
 * - `signature_invalid`: the key did not sign this decision at this time.
 * - `person_differs`: the name or the roles on record are not those of the key.
 */
export type UnprovenCause =
  | 'before_keys'
  | 'unsigned'
  | 'key_unknown'
  | 'key_not_valid'
  | 'signature_invalid'
  | 'person_differs';

export interface Unproven {
  readonly cause: UnprovenCause;
  readonly message: string;
}

/** Judges a recorded decision by its signature and the key as of the time of the decision. Null if it is proven. */
export type ProofCheck = (decision: RecordedDecision) => Unproven | null;

/**
 * Checks the proofs of recorded decisions against the key store, and what is recorded about them. The session uses it
 * wherever a recorded decision permits something; the kernel never does, so that a run replays without keys.
 */
export interface Proofs {
  /** Reads the keys of a tenant, or of every tenant. Null if the decisions of this tenant are not signed here. */
  checkFor(tenantId: string | null): Promise<ProofCheck | null>;
  /**
   * Derives a run again, because a signature proves a decision and not what the record around it says. Returns the first
   * event that differs, or null. Throws `version_changed` if the run was made with rules that are not here, or with weaker
   * terms for people than those here.
   */
  firstAltered(frames: readonly Frame[]): Promise<AlteredEvent | null>;
}
