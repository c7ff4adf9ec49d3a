import { requiredReasoning } from '../../model/reasoning.ts';
import { FULL, finding, found } from '../assessment.ts';
import type { CaseClaim, Evaluator, RunCase } from '../evaluator.ts';

/**
 * Was everything that is claimed also observed? A claim must name a committed observation, unless its kind of work
 * is one that a model may do by itself. Feeds `policy`: what was not observed may not be said.
 */
export const grounding: Evaluator<RunCase> = {
  name: 'grounding',
  version: '1',
  feeds: 'policy',
  assess: (c) => {
    const findings = c.claims
      .filter((claim) => !stands(claim, c))
      .map(({ statement }) => finding('grounding_violation', 'high', `nothing observed shows: ${statement}`));
    return findings.length === 0 ? FULL : found(0, findings);
  },
};

/** A reference that leads nowhere is a violation even where none was needed. */
function stands(claim: CaseClaim, c: RunCase): boolean {
  if (claim.observation !== null) return c.observations.has(claim.observation);
  return claim.task !== undefined && requiredReasoning(claim.task, c.risk) === 'direct';
}
