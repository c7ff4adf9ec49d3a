import type { Plan } from '../../model/plan.ts';
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
  const isDone = parts.plan.steps.map((step) => {
    const before = known.committed.get(step.id);
    return before !== undefined && sameCall(before.step, step);
  });
  const expected = expectedEvidence(parts, isDone);
  const decisions: StepDecision[] = [];
  parts.plan.steps.forEach((step, index) => {
    const spec = parts.specs[index];
    if (spec === undefined || isDone[index] === true) return;
    decisions.push({ step_id: step.id, decision: decide(step, spec, expected[index] ?? []) });
  });
  return decisions;
}

/**
 * The types of evidence that are still to come when it is each step's turn, by its place. They are told to a rule that
 * would otherwise refuse a plan for not knowing yet what the plan is about to find out.
 */
function expectedEvidence({ graph, specs }: PlanParts, isDone: readonly boolean[]): readonly (readonly string[])[] {
  let coming: readonly string[] = [];
  // What stands in or behind a circle has no turn, and nothing comes before it.
  const expected: (readonly string[])[] = specs.map(() => coming);
  for (const index of graph.order) {
    expected[index] = coming;
    const spec = specs[index];
    if (spec !== undefined && isDone[index] !== true) coming = withMore(coming, spec.produces);
  }
  return expected;
}

/** The very list that was given, where all of it is coming already. */
function withMore(coming: readonly string[], produced: readonly string[]): readonly string[] {
  for (const type of produced) {
    if (!coming.includes(type)) return [...coming, ...produced.filter((news) => !coming.includes(news))];
  }
  return coming;
}
