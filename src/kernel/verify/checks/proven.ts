import { runsInline } from '../../../model/approval-mode.ts';
import type { Problem } from '../../../model/problem.ts';
import { effectiveMode } from '../effective-mode.ts';
import { stepProblem } from '../step-problem.ts';
import type { Subject } from '../subject.ts';

/**
 * At the highest risk nothing that needs approval is left to be found out at dispatch: a bound value that might not fit
 * would stop the run halfway, with part of its effects made.
 */
export function checkProven({ plan, graph, specs, arguments: report }: Subject): readonly Problem[] {
  return report.unproven.flatMap(({ step_id, path, from }) => {
    const index = graph.indexOf.get(step_id) ?? -1;
    const [step, spec] = [plan.steps[index], specs[index]];
    if (step === undefined || spec === undefined || runsInline(effectiveMode(step, spec))) return [];
    const message = `at this risk it must be certain before the run that what ${from} supplies fits`;
    const below = path.slice(`/steps/${index}`.length);
    return [stepProblem({ step, index }, 'binding_type_mismatch', below, message)];
  });
}
