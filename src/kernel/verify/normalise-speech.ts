import type { JsonObject } from '../../model/json/json.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { Plan, PlanStep } from '../../model/plan/plan.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { stepProblem } from './step-rules.ts';
import { eachKnownStep, type Subject } from './subject.ts';
import type { ToolTable } from './tool-table.ts';

/**
 * Normalises `respond` and `clarify` steps: tool names match in any letter case, and missing params come from the
 * step's objective. Other steps stay as they are; a plan without such changes is returned as it is.
 */
export function normaliseSpeech(plan: Plan, tools: ToolTable): Plan {
  const isSpoken = (step: PlanStep): boolean => normaliseSpeechStep(step, tools) !== step;
  return plan.steps.some(isSpoken)
    ? { ...plan, steps: plan.steps.map((step) => normaliseSpeechStep(step, tools)) }
    : plan;
}

function normaliseSpeechStep(step: PlanStep, tools: ToolTable): PlanStep {
  const spec = tools.get(step.tool) ?? tools.get(step.tool.toLowerCase());
  if (spec?.speaks === undefined) return step;
  const params = step.params ?? defaultParams(spec.speaks, step);
  if (spec.name === step.tool && params === step.params) return step;
  return { ...step, tool: spec.name, params };
}

function defaultParams(speaks: NonNullable<ToolSpec['speaks']>, { id, task_objective }: PlanStep): JsonObject {
  const words = task_objective?.trim() || id;
  return speaks === 'respond' ? { objective: words } : { question: words };
}

/** A `clarify` step must be last, because a planned step cannot know the answer. */
export function checkClarifyIsLast({ plan, graph, specs }: Subject): readonly Problem[] {
  return eachKnownStep({ plan, specs }, (step, { speaks }, index) => {
    if (speaks !== 'clarify') return null;
    const last = index === plan.steps.length - 1 && (graph.dependents[index]?.length ?? 0) === 0;
    if (last) return null;
    const message = `${step.tool} asks the user, and nothing planned after it can know the answer: end the plan with it`;
    return stepProblem({ step, index }, 'plan_untyped', '/tool', message);
  });
}
