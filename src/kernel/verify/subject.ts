import type { Plan, PlanStep } from '../../model/plan.ts';
import type { StepDecision } from '../../model/policy-decision.ts';
import type { Problem } from '../../model/problem.ts';
import type { ToolSpec } from '../../model/tool.ts';
import type { ArgumentReport } from './arguments.ts';
import type { DependencyGraph } from './dependency-graph.ts';
import type { VerifyContext } from './verify-context.ts';

/** A plan under verification, with what several checks need to know about it. */
export interface Subject {
  /** As the planner wrote it: problems point into this. */
  readonly proposed: Plan;
  /** As it would run. Steps stand in the same places. */
  readonly plan: Plan;
  readonly graph: DependencyGraph;
  /** The tool of each step; undefined where there is none of that name. */
  readonly specs: readonly (ToolSpec | undefined)[];
  readonly arguments: ArgumentReport;
  /** What the plan would take, by budget counter. */
  readonly projected: Readonly<Record<string, number>>;
  /** What the rules about calls say of each step that is still to be done. */
  readonly decisions: readonly StepDecision[];
  readonly context: VerifyContext;
}

/** What a rule finds wrong with the steps whose tools are known, in the order of the plan. */
export function eachKnownStep(
  { plan, specs }: Pick<Subject, 'plan' | 'specs'>,
  check: (step: PlanStep, spec: ToolSpec, index: number) => Problem | null,
): readonly Problem[] {
  const problems: Problem[] = [];
  let index = 0;
  for (const step of plan.steps) {
    const spec = specs[index];
    const problem = spec === undefined ? null : check(step, spec, index);
    if (problem !== null) problems.push(problem);
    index += 1;
  }
  return problems;
}
