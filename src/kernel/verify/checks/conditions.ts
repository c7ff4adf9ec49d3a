import type { Problem } from '../../../model/json/problem.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import { isDone, stepProblem } from '../step-rules.ts';
import type { Subject } from '../subject.ts';

/** A plan of a run without conditions records the same checks as before they existed. */
export const hasConditions = ({ context }: Subject): boolean => context.conditions !== undefined;

/** Steps that a condition of the boundary denies, although no earlier step is going to answer it. */
export function checkConditions({ plan, graph, specs, context }: Subject): readonly Problem[] {
  const { conditions, known } = context;
  if (conditions === undefined) return [];
  const earlier: PlanStep[] = [];
  const problems: Problem[] = [];
  for (const index of graph.order) {
    const step = plan.steps[index];
    const spec = specs[index];
    if (step === undefined || spec === undefined || isDone(step, known)) continue;
    for (const { code, message, detail } of conditions(step, spec, earlier)) {
      problems.push(stepProblem({ step, index }, code, '', message, detail));
    }
    if (spec.conditions !== undefined) earlier.push(step);
  }
  return problems;
}
