import { runsInline } from '../../../model/gate/approval-mode.ts';
import type { Problem } from '../../../model/json/problem.ts';
import { effectiveMode, stepProblem } from '../step-rules.ts';
import type { Subject } from '../subject.ts';

/**
 * At critical risk every binding of a step that needs approval must be proven to fit. A value that does not fit would
 * stop the run halfway, after some of its side effects.
 */
export function checkBindingsProven({ plan, graph, specs, arguments: report }: Subject): readonly Problem[] {
  return report.unproven.flatMap(({ step_id, path, from }) => {
    const index = graph.indexOf.get(step_id) ?? -1;
    const [step, spec] = [plan.steps[index], specs[index]];
    if (step === undefined || spec === undefined || runsInline(effectiveMode(step, spec))) return [];
    const message = `at this risk it must be certain before the run that what ${from} supplies fits`;
    const below = path.slice(`/steps/${index}`.length);
    return [stepProblem({ step, index }, 'binding_type_mismatch', below, message)];
  });
}
