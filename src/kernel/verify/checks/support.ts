import type { Problem } from '../../../model/problem.ts';
import { rooted } from '../fit/rooted.ts';
import { locate } from '../locate.ts';
import { tokensOf } from '../pointer-walk.ts';
import { stepProblem } from '../step-problem.ts';
import type { Subject } from '../subject.ts';

/** What a step is justified by must be a fresh, verified observation, and nothing that merely looks like one. */
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

/** An assumption that no step can ever disprove would be believed for ever. */
export function checkAssumptions({ plan, graph, specs }: Subject): readonly Problem[] {
  return (plan.assumptions ?? []).flatMap(({ id, step, path: at }, place): readonly Problem[] => {
    const path = `/assumptions/${place}`;
    const index = graph.indexOf.get(step);
    if (index === undefined) {
      const message = `assumption ${id}: there is no step ${step} in the plan to test it`;
      return [{ code: 'unknown_dependency', path: `${path}/step`, message, detail: { missing: step } }];
    }
    const output = specs[index]?.output_schema;
    if (output === undefined || locate(rooted(output), tokensOf(at)).presence !== 'never') return [];
    const message = `assumption ${id}: the output of ${step} can have nothing at ${JSON.stringify(at)}`;
    return [{ code: 'binding_unresolved', path: `${path}/path`, message }];
  });
}
