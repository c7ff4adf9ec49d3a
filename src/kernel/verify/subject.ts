import type { Problem } from '../../model/json/problem.ts';
import type { Plan, PlanStep } from '../../model/plan/plan.ts';
import type { StepDecision } from '../../model/policy/policy-decision.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import type { DependencyGraph } from '../state/dependency-graph.ts';
import type { ArgumentReport } from './arguments.ts';
import type { BindingSources } from './binding-sources.ts';
import type { VerifyContext } from './verify-context.ts';

/** A plan under verification, with the data that several checks share. */
export interface Subject {
  /** The plan as the planner wrote it; problem paths point into it. */
  readonly proposed: Plan;
  /** The plan as it would run, with its steps at the same positions. */
  readonly plan: Plan;
  readonly graph: DependencyGraph;
  /** The tool of each step; undefined if it is unknown. */
  readonly specs: readonly (ToolSpec | undefined)[];
  readonly arguments: ArgumentReport;
  readonly sources: BindingSources;
  /** Projected cost, by budget counter. */
  readonly projected: Readonly<Record<string, number>>;
  /** Policy decisions about the steps that are still to run. */
  readonly decisions: readonly StepDecision[];
  readonly context: VerifyContext;
}

/** Runs a check on every step with a known tool, in plan order, and collects the problems. */
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
