import type { Plan } from '../../model/plan.ts';
import type { StepDecision } from '../../model/policy-decision.ts';
import type { Problem } from '../../model/problem.ts';
import { atLeast } from '../../model/risk.ts';
import { type ArgumentReport, examineArguments, type UnprovenBinding } from './arguments.ts';
import { type BindingSources, bindingSources } from './binding-sources.ts';
import { CHECKS } from './check-table.ts';
import { isGraveMistake } from './impact.ts';
import type { Merge } from './merge-subtasks.ts';
import { normalise } from './normalise.ts';
import { graphOf } from './plan-graph.ts';
import { projectCost } from './project-cost.ts';
import { readPlan } from './read-plan.ts';
import { withSpeech } from './speaking.ts';
import { stepDecisions } from './step-decisions.ts';
import type { Subject } from './subject.ts';
import { verdictOn } from './verdict.ts';
import type { VerifyContext } from './verify-context.ts';

export type { KnownState, PolicyEngine, VerifyContext } from './verify-context.ts';

interface Findings {
  /** Every problem of the plan, told at once. */
  readonly problems: readonly Problem[];
  /** The checks that ran; never fewer at a higher risk. */
  readonly checks: readonly string[];
  /** What the plan would take, by budget counter. */
  readonly projected: Readonly<Record<string, number>>;
  /** Bindings to be checked again, with their values, when their step is dispatched. */
  readonly unproven: readonly UnprovenBinding[];
  readonly merged: readonly Merge[];
  /** What the rules about calls say of its steps. */
  readonly decisions: readonly StepDecision[];
}

/** `plan` is normalised, and the very object that was proposed if nothing had to change. */
export type PlanVerification = Findings &
  (
    | { readonly verdict: 'ok'; readonly plan: Plan }
    /** No plan at all where what was proposed is none. */
    | { readonly verdict: 'replan' | 'reject'; readonly plan: Plan | null }
  );

/**
 * Holds what a planner proposed against everything that must be true before a single step may run. Pure, total over
 * any input, and linear in the size of the plan.
 */
export function verifyPlan(proposed: unknown, context: VerifyContext, replansLeft: number): PlanVerification {
  const read = readPlan(proposed, context.naming);
  if (read.plan === null) {
    const none = { checks: [TYPED], projected: {}, unproven: [], merged: [], decisions: [] };
    const verdict = verdictOn(read.problems, replansLeft);
    return { ...none, verdict: verdict === 'ok' ? 'reject' : verdict, plan: null, problems: read.problems };
  }
  const written = withSpeech(read.plan, context.tools);
  const { plan, merged } = normalise(written, context.known.depth);
  const subject = study(written, plan, context);
  const checks = CHECKS.filter(({ from }) => atLeast(context.risk, from));
  const problems = checks.flatMap(({ run }) => run(subject));
  const { projected, decisions } = subject;
  const names = [TYPED, ...checks.map(({ name }) => name)];
  const findings = { problems, checks: names, projected, unproven: subject.arguments.unproven, merged, decisions };
  const verdict = verdictOn(problems, replansLeft, (problem) => isGraveMistake(problem, subject.specs));
  return { ...findings, verdict, plan };
}

/** The check that comes before all others: whether there is a plan to check. */
const TYPED = 'typed';

/** The arguments of every step, and then whether what they are bound to will be there in time. */
function examineAll(
  steps: Plan['steps'],
  specs: Subject['specs'],
  sources: BindingSources,
  { tools, drafting = 'refused' }: VerifyContext,
): ArgumentReport {
  const problems: Problem[] = [];
  const unproven: UnprovenBinding[] = [];
  steps.forEach((step, index) => {
    const report = examineArguments({ step, index }, specs[index], tools, sources, drafting);
    for (const problem of report.problems) problems.push(problem);
    for (const binding of report.unproven) unproven.push(binding);
  });
  for (const problem of sources.outOfOrder()) problems.push(problem);
  return { problems, unproven };
}

function study(proposed: Plan, plan: Plan, context: VerifyContext): Subject {
  const graph = graphOf(plan);
  const specs = plan.steps.map(({ tool }) => context.tools.get(tool));
  const sources = bindingSources(plan.steps, graph, specs, context.known.committed);
  const report = examineAll(plan.steps, specs, sources, context);
  const projected = projectCost(plan, context.tools, context.known.committed, context.draftCost ?? null);
  const decisions = stepDecisions({ plan, graph, specs }, context);
  return { proposed, plan, graph, specs, arguments: report, projected, decisions, context };
}
