import { FULL, found } from '../assessment.ts';
import { detectConflict } from '../conflict.ts';
import type { Evaluator, RunCase } from '../evaluator.ts';

/** Do the sources agree in the end? A contradiction that the goal hangs on leaves nothing to accept. */
export const sources: Evaluator<RunCase> = {
  name: 'sources',
  version: '1',
  feeds: 'utility',
  assess: ({ facts }) => {
    const findings = detectConflict(facts);
    if (findings.length === 0) return FULL;
    return found(findings.some(({ severity }) => severity === 'high') ? 0 : 1, findings);
  },
};
