import type { Plan, PlanStep } from '../../model/plan.ts';
import type { StepDecision } from '../../model/policy-decision.ts';
import type { ToolSpec } from '../../model/tool.ts';
import type { DependencyGraph } from './dependency-graph.ts';
import { sameCall } from './same-call.ts';
import type { VerifyContext } from './verify-context.ts';

interface PlanParts {
  readonly plan: Plan;
  readonly graph: DependencyGraph;
  readonly specs: readonly (ToolSpec | undefined)[];
}

/** What the rules about calls say of every step that is still to be done. What is done is not asked about again. */
export function stepDecisions(parts: PlanParts, { decide, known }: VerifyContext): readonly StepDecision[] {
  if (decide === undefined) return [];
  const isDone = (step: PlanStep): boolean => {
    const before = known.committed.get(step.id);
    return before !== undefined && sameCall(before.step, step);
  };
  const expected = expectedEvidence(parts, isDone);
  return parts.plan.steps.flatMap((step, index): readonly StepDecision[] => {
    const spec = parts.specs[index];
    if (spec === undefined || isDone(step)) return [];
    return [{ step_id: step.id, decision: decide(step, spec, expected[index] ?? []) }];
  });
}

/**
 * The types of evidence that are still to come when it is each step's turn, by its place. They are told to a rule that
 * would otherwise refuse a plan for not knowing yet what the plan is about to find out.
 */
function expectedEvidence(
  { plan, graph, specs }: PlanParts,
  isDone: (step: PlanStep) => boolean,
): readonly (readonly string[])[] {
  const expected: (readonly string[])[] = plan.steps.map(() => []);
  let coming: readonly string[] = [];
  for (const index of graph.order) {
    const step = plan.steps[index];
    expected[index] = coming;
    if (step === undefined || isDone(step)) continue;
    const more = (specs[index]?.produces ?? []).filter((type) => !coming.includes(type));
    if (more.length > 0) coming = [...coming, ...more];
  }
  return expected;
}
