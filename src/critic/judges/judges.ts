import type { PanelCase } from '../../model/judge.ts';
import type { Rubric } from '../../model/rubric.ts';
import { FULL } from '../assessment.ts';
import type { Assessment, Evaluator } from '../evaluator.ts';
import { ruleOnPanel } from './rule-on-panel.ts';

/** A case that judges may have been asked about. */
interface Judged {
  readonly panel?: PanelCase;
}

/**
 * What models said of the case, as a score of its own. It can only take away: no other score is raised by it, and a case
 * that no judge was to look at is as good as its other scores.
 */
export function judges(rubric: Rubric): Evaluator<Judged> {
  const { quorum, spread } = rubric.judges ?? { quorum: 1, spread: 0 };
  return {
    name: 'judges',
    version: '1',
    assess: ({ panel }): Assessment => {
      if (panel === undefined || panel.asked.length === 0) return FULL;
      const { score, findings, verdict } = ruleOnPanel({ quorum, spread, accept: rubric.accept }, panel);
      const wanted = verdict === null ? {} : { verdict };
      return findings.length === 0 ? { score, ...wanted } : { score, findings, ...wanted };
    },
  };
}
