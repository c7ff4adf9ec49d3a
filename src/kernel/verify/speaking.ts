import type { JsonObject } from '../../model/json.ts';
import type { Plan, PlanStep } from '../../model/plan.ts';
import type { Problem } from '../../model/problem.ts';
import type { ToolSpec } from '../../model/tool.ts';
import { stepProblem } from './step-problem.ts';
import { eachKnownStep, type Subject } from './subject.ts';
import type { ToolTable } from './tool-table.ts';

/**
 * Steps that speak, as they are carried out: the two capabilities are known in any letter case, and one that says
 * nothing beside its objective says that. Every other step, and a plan of none but those, stays what it is.
 */
export function withSpeech(plan: Plan, tools: ToolTable): Plan {
  const isSpoken = (step: PlanStep): boolean => spokenStep(step, tools) !== step;
  return plan.steps.some(isSpoken) ? { ...plan, steps: plan.steps.map((step) => spokenStep(step, tools)) } : plan;
}

function spokenStep(step: PlanStep, tools: ToolTable): PlanStep {
  const spec = tools.get(step.tool) ?? tools.get(step.tool.toLowerCase());
  if (spec?.speaks === undefined) return step;
  const params = step.params ?? wordsOf(spec.speaks, step);
  if (spec.name === step.tool && params === step.params) return step;
  return { ...step, tool: spec.name, params };
}

function wordsOf(speaks: NonNullable<ToolSpec['speaks']>, { id, task_objective }: PlanStep): JsonObject {
  const words = task_objective?.trim() || id;
  return speaks === 'respond' ? { objective: words } : { question: words };
}

/** Whoever asks has to wait for the answer, and a step that is planned already cannot know it. */
export function questionsInTheMiddle({ plan, graph, specs }: Subject): readonly Problem[] {
  return eachKnownStep({ plan, specs }, (step, { speaks }, index) => {
    if (speaks !== 'clarify') return null;
    const last = index === plan.steps.length - 1 && (graph.dependents[index]?.length ?? 0) === 0;
    if (last) return null;
    const message = `${step.tool} asks the user, and nothing planned after it can know the answer: end the plan with it`;
    return stepProblem({ step, index }, 'plan_untyped', '/tool', message);
  });
}
