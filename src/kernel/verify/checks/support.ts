import { pointerKeys } from '../../../model/json/pointer.ts';
import type { Problem } from '../../../model/json/problem.ts';
import { locate } from '../fit/locate.ts';
import { rooted } from '../fit/rooted.ts';
import { stepProblem } from '../step-rules.ts';
import type { Subject } from '../subject.ts';

/** Every reference in `because` must be a fresh, verified observation. */
export function checkSupport({ plan, context }: Subject): readonly Problem[] {
  const assumed = new Set(plan.assumptions?.map(({ id }) => id));
  const problems: Problem[] = [];
  plan.steps.forEach((step, index) => {
    step.because?.forEach((reference, place) => {
      const kind = context.known.support.get(reference) ?? (assumed.has(reference) ? 'assumed' : 'unknown');
      if (kind === 'verified') return;
      const message = `is justified by ${reference}, which is ${kind}`;
      const detail = { reference, kind };
      problems.push(stepProblem({ step, index }, 'contaminated_support', `/because/${place}`, message, detail));
    });
  });
  return problems;
}

/** Every assumption must name a step whose output could disprove it; otherwise it would never be tested. */
export function checkAssumptions({ plan, graph, specs }: Subject): readonly Problem[] {
  return (plan.assumptions ?? []).flatMap(({ id, step, path: at }, place): readonly Problem[] => {
    const path = `/assumptions/${place}`;
    const index = graph.indexOf.get(step);
    if (index === undefined) {
      const message = `assumption ${id}: there is no step ${step} in the plan to test it`;
      return [{ code: 'unknown_dependency', path: `${path}/step`, message, detail: { missing: step } }];
    }
    const output = specs[index]?.output_schema;
    if (output === undefined || locate(rooted(output), pointerKeys(at)).presence !== 'never') return [];
    const message = `assumption ${id}: the output of ${step} can have nothing at ${JSON.stringify(at)}`;
    return [{ code: 'binding_unresolved', path: `${path}/path`, message }];
  });
}
