import type { Claim } from '../../../model/evidence/evidence.ts';
import type { Stop } from '../../../model/fault/terminal-code.ts';
import { atLeast, type RiskClass } from '../../../model/policy/risk.ts';

/** A set of observation ids; callers keep them in different collections. */
export interface ObservationIds {
  has(observation: string): boolean;
}

const NONE: ObservationIds = Object.freeze({ has: () => false });

/** A claim that the answer may not make: its observation is not committed, or is in dispute. */
export interface GroundingViolation {
  readonly claim: number;
  readonly statement: string;
  readonly observation: string;
  readonly kind: 'not_observed' | 'disputed';
}

export type ClaimsRuling =
  | { readonly ok: true }
  | { readonly ok: false; readonly violations: readonly GroundingViolation[] };

/**
 * Checks that an answer claims only what was committed. A claim without a committed observation is a violation; so is
 * one on an observation that is frozen by conflicting sources, until the conflict is resolved.
 */
export function checkClaims(
  claims: readonly Claim[],
  committed: ObservationIds,
  disputed: ObservationIds = NONE,
): ClaimsRuling {
  const violations: GroundingViolation[] = [];
  claims.forEach(({ statement, observation }, claim) => {
    if (!committed.has(observation)) violations.push({ claim, statement, observation, kind: 'not_observed' });
    else if (disputed.has(observation)) violations.push({ claim, statement, observation, kind: 'disputed' });
  });
  return violations.length === 0 ? { ok: true } : { ok: false, violations };
}

export type ViolationRoute = { readonly kind: 'repair' } | { readonly kind: 'halt'; readonly stop: Stop };

/** Lets the model repair its answer at low or moderate risk while repairs are left. Otherwise the run halts. */
export function routeViolations(
  violations: readonly GroundingViolation[],
  risk: RiskClass,
  repairsLeft: number,
): ViolationRoute {
  if (repairsLeft > 0 && !atLeast(risk, 'high')) return { kind: 'repair' };
  const statements = violations.map((violation) => violation.statement);
  return { kind: 'halt', stop: { code: 'VALIDATION_FAIL', reason: 'grounding_violation', detail: { statements } } };
}
