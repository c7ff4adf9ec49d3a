import type { CaseClaim, RunCase } from '../../model/critic/judged-case.ts';
import { requiredReasoning } from '../../model/plan/reasoning.ts';
import { type Evaluator, FULL, finding, found } from '../evaluators/evaluator.ts';

/**
 * Checks that every claim names a committed observation, unless a model may do its kind of work unaided. Feeds
 * `policy`, because an answer must not state anything unobserved.
 */
export const runGrounding: Evaluator<RunCase> = {
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

/** An unknown reference is a violation even if the claim needs none. */
function stands(claim: CaseClaim, c: RunCase): boolean {
  if (claim.observation !== null) return c.observations.has(claim.observation);
  return claim.task !== undefined && requiredReasoning(claim.task, c.risk) === 'direct';
}
