import type { Problem } from '../../../model/json/problem.ts';
import { stepProblem } from '../step-rules.ts';
import type { Subject } from '../subject.ts';

/** Refuses tools that this run may not use, are inactive, or have drifted from their registered schema. */
export function checkTools({ plan, specs, context }: Subject): readonly Problem[] {
  const problems: Problem[] = [];
  plan.steps.forEach((step, index) => {
    const spec = specs[index];
    if (spec === undefined) return;
    if (!context.tools.isAllowed(spec.name)) {
      const message = `this run may not use ${spec.name}`;
      problems.push(stepProblem({ step, index }, 'tool_not_allowed', '/tool', message, { tool: spec.name }));
    }
    if (!spec.active) {
      const message = `${spec.name} is switched off`;
      problems.push(stepProblem({ step, index }, 'tool_inactive', '/tool', message, { tool: spec.name }));
    }
    if (context.known.setAside?.has(spec.name) === true) {
      const message = `${spec.name} answers in another shape than it was registered with, and is not used again in this run`;
      problems.push(stepProblem({ step, index }, 'tool_drifted', '/tool', message, { tool: spec.name }));
    }
  });
  return problems;
}
