import type { Claim } from '../model/claim.ts';
import { atLeast, type RiskClass } from '../model/risk.ts';
import type { Stop } from '../model/stop.ts';

/** Ids of observations, however they are kept. */
export interface ObservationIds {
  has(observation: string): boolean;
}

const NONE: ObservationIds = Object.freeze({ has: () => false });

/** A statement that may not be made: nothing committed supports it, or what does is in dispute. */
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
 * An answer may only say what was committed. A claim without a committed observation is the prohibited rung, assumed;
 * a claim on an observation that conflicting sources have frozen has to wait until the conflict is resolved.
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

/** Where little can go wrong the model may correct itself; where much can, nobody guesses a second time. */
export function routeViolations(
  violations: readonly GroundingViolation[],
  risk: RiskClass,
  repairsLeft: number,
): ViolationRoute {
  if (repairsLeft > 0 && !atLeast(risk, 'high')) return { kind: 'repair' };
  const statements = violations.map((violation) => violation.statement);
  return { kind: 'halt', stop: { code: 'VALIDATION_FAIL', reason: 'grounding_violation', detail: { statements } } };
}
