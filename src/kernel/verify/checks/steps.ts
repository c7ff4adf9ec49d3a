import type { Problem } from '../../../model/json/problem.ts';
import { checkClarifyIsLast } from '../normalise-speech.ts';
import { type Placed, stepProblem } from '../step-rules.ts';
import type { Subject } from '../subject.ts';
import { unknownTools, validateStep } from '../validate-step.ts';

/**
 * Validates each step with the keys it may use: those in state and those of earlier steps. All unknown tools become one
 * problem, because the planner needs the complete list at once.
 */
export function checkSteps(subject: Subject): readonly Problem[] {
  const { proposed, specs, context } = subject;
  const { tools, known } = context;
  const filledHere = new Map<string, readonly string[]>();
  const keys = { get: (key: string) => filledHere.get(key) ?? known.keys.get(key) };
  const unknown: Placed[] = [];
  const problems: Problem[] = [...checkClarifyIsLast(subject)];
  proposed.steps.forEach((step, index) => {
    for (const problem of validateStep(step, { index, keys, tools })) {
      if (problem.code === 'hallucinated_capability') unknown.push({ step, index });
      else problems.push(problem);
    }
    const key = step.context_key;
    if (key === undefined) return;
    if (filledHere.has(key)) {
      const message = `an earlier step fills the context key "${key}" already`;
      const detail = { key, step_index: index };
      problems.push(stepProblem({ step, index }, 'invalid_context_key', '/context_key', message, detail));
    }
    filledHere.set(key, specs[index]?.produces ?? []);
  });
  return unknown.length === 0 ? problems : [unknownTools(unknown, tools), ...problems];
}
