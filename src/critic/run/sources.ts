import type { RunCase } from '../../model/critic/judged-case.ts';
import { detectConflict } from '../conflict.ts';
import { type Evaluator, FULL, found } from '../evaluators/evaluator.ts';

/** Reports contradictions among the run's sources. One that the goal depends on makes the score 0. */
export const runSources: Evaluator<RunCase> = {
  name: 'sources',
  version: '1',
  feeds: 'utility',
  assess: ({ facts }) => {
    const findings = detectConflict(facts);
    if (findings.length === 0) return FULL;
    return found(findings.some(({ severity }) => severity === 'high') ? 0 : 1, findings);
  },
};
