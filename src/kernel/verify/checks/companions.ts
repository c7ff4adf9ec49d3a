import type { Problem } from '../../../model/json/problem.ts';
import { expectedEvidence } from '../expected-evidence.ts';
import { isDone, stepProblem } from '../step-rules.ts';
import type { Subject } from '../subject.ts';

/** A plan whose tools have no probe and no compensation records the same checks as before this one existed. */
export const hasCompanions = ({ specs, context }: Subject): boolean =>
  context.companions !== undefined &&
  specs.some((spec) => spec !== undefined && (spec.probes !== undefined || spec.unwrap !== undefined));

/** Steps with a probe or a compensation that this run may not call: it would be refused after the effect. */
export function checkCompanions({ plan, graph, specs, context }: Subject): readonly Problem[] {
  const { companions, known } = context;
  if (companions === undefined) return [];
  const done = plan.steps.map((step) => isDone(step, known));
  const expected = expectedEvidence({ graph, specs }, done);
  const problems: Problem[] = [];
  plan.steps.forEach((step, index) => {
    const spec = specs[index];
    if (spec === undefined || done[index] === true) return;
    for (const { code, message, detail } of companions(step, spec, expected[index] ?? [])) {
      problems.push(stepProblem({ step, index }, code, '/tool', message, detail));
    }
  });
  return problems;
}
