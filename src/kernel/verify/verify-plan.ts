import type { FaultCode } from '../../model/fault/fault.ts';
import { sameJson } from '../../model/json/json-at.ts';
import type { Problem } from '../../model/json/problem.ts';
import { hasDraft, type Plan } from '../../model/plan/plan.ts';
import type { StepDecision } from '../../model/policy/policy-decision.ts';
import { atLeast } from '../../model/policy/risk.ts';
import type { ToolCost, ToolSpec } from '../../model/tool/tool.ts';
import { graphOf } from '../state/plan-index.ts';
import { type ArgumentReport, examineArguments, type UnprovenBinding } from './arguments.ts';
import { type BindingSources, bindingSources } from './binding-sources.ts';
import { CHECKS } from './check-table.ts';
import { expectedEvidence, type PlannedTools } from './expected-evidence.ts';
import { normalise } from './normalise.ts';
import { normaliseSpeech } from './normalise-speech.ts';
import { readPlan } from './read-plan.ts';
import { isDone } from './step-rules.ts';
import type { Subject } from './subject.ts';
import type { ToolTable } from './tool-table.ts';
import { verdictOn } from './verdict.ts';
import type { CommittedSteps, VerifyContext } from './verify-context.ts';

/** Mistakes in the arguments of a call, as opposed to its choice. */
const ARGUMENT_CODES: ReadonlySet<FaultCode> = new Set(['argument_invalid', 'binding_type_mismatch']);

/** Calls that move money, change running systems or cannot be undone. */
const isHighImpact = ({ side_effect, category, approval_mode }: ToolSpec): boolean =>
  side_effect && (category === 'payment' || category === 'infrastructure' || approval_mode === 'destructive');

/**
 * True for a problem that the planner may not fix by another attempt: wrong arguments of a high-impact call, such as a
 * payment, go to a person.
 */
function isGraveMistake({ code, path, detail }: Problem, specs: readonly (ToolSpec | undefined)[]): boolean {
  // High-stakes advice without sources goes to a reviewer, not back to the model.
  if (code === 'grounding_violation') return detail?.['needed'] === 'sources';
  // No plan answers a condition that no tool of the run can answer.
  if (code === 'condition_unanswered') return sameJson(detail?.['tools'] ?? null, []);
  if (!ARGUMENT_CODES.has(code)) return false;
  const place = /^\/steps\/(\d+)(?:\/|$)/.exec(path)?.[1];
  const spec = place === undefined ? undefined : specs[Number(place)];
  return spec !== undefined && isHighImpact(spec);
}

const NONE_COMMITTED: CommittedSteps = Object.freeze({ committed: new Map() });

/** The cost of a plan by budget counter, if every step is called once at the maximum cost of its tool. */
export function projectCost(
  plan: Plan,
  tools: ToolTable,
  known: CommittedSteps = NONE_COMMITTED,
  draft: ToolCost | null = null,
): Readonly<Record<string, number>> {
  const total = {
    steps: 0,
    tool_calls: 0,
    external_api_calls: 0,
    side_effects: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_microusd: 0,
  };
  for (const step of plan.steps) {
    // A step that equals a committed one does not run again.
    if (isDone(step, known)) continue;
    const spec = tools.get(step.tool);
    total.steps += 1;
    total.tool_calls += 1;
    if (spec === undefined) continue;
    total.external_api_calls += spec.external ? 1 : 0;
    total.side_effects += spec.side_effect ? 1 : 0;
    total.input_tokens += spec.cost.input_tokens;
    total.output_tokens += spec.cost.output_tokens;
    total.cost_microusd += spec.cost.microusd;
    if (draft === null || !hasDraft(step.params ?? {})) continue;
    // Drafting costs tokens but no tool spend.
    total.input_tokens += draft.input_tokens;
    total.output_tokens += draft.output_tokens;
  }
  return total;
}

interface PlanParts extends PlannedTools {
  readonly plan: Plan;
}

/** Policy decisions about every step that is not committed yet. */
export function stepDecisions(parts: PlanParts, { decide, known }: VerifyContext): readonly StepDecision[] {
  if (decide === undefined) return [];
  const done = parts.plan.steps.map((step) => isDone(step, known));
  const expected = expectedEvidence(parts, done);
  const decisions: StepDecision[] = [];
  parts.plan.steps.forEach((step, index) => {
    const spec = parts.specs[index];
    if (spec === undefined || done[index] === true) return;
    decisions.push({ step_id: step.id, decision: decide(step, spec, expected[index] ?? []) });
  });
  return decisions;
}

export type { VerifyContext } from './verify-context.ts';

interface Findings {
  /** All problems of the plan. */
  readonly problems: readonly Problem[];
  /** Names of the checks that ran; a higher risk never has fewer. */
  readonly checks: readonly string[];
  /** Projected cost, by budget counter. */
  readonly projected: Readonly<Record<string, number>>;
  /** Bindings that are checked again with their values at dispatch. */
  readonly unproven: readonly UnprovenBinding[];
  /** Policy decisions about the steps. */
  readonly decisions: readonly StepDecision[];
}

/** `plan` is normalised; it is the proposed object itself if nothing changed. */
export type PlanVerification = Findings &
  (
    | { readonly verdict: 'ok'; readonly plan: Plan }
    /** Null if the proposal is not a plan. */
    | { readonly verdict: 'replan' | 'reject'; readonly plan: Plan | null }
  );

/** Verifies a planner's proposal before any step runs. Pure, total over any input, and linear in the plan. */
export function verifyPlan(proposed: unknown, context: VerifyContext, replansLeft: number): PlanVerification {
  const read = readPlan(proposed, context.naming);
  if (read.plan === null) {
    const none = { checks: [TYPED], projected: {}, unproven: [], decisions: [] };
    const verdict = verdictOn(read.problems, replansLeft);
    return { ...none, verdict: verdict === 'ok' ? 'reject' : verdict, plan: null, problems: read.problems };
  }
  const written = normaliseSpeech(read.plan, context.tools);
  const plan = normalise(written, context.known.depth);
  const subject = prepareSubject(written, plan, context);
  const checks = CHECKS.filter((check) => atLeast(context.risk, check.from) && check.applies?.(subject) !== false);
  const problems = checks.flatMap(({ run }) => run(subject));
  const { projected, decisions } = subject;
  const names = [TYPED, ...checks.map(({ name }) => name)];
  const findings = { problems, checks: names, projected, unproven: subject.arguments.unproven, decisions };
  const verdict = verdictOn(problems, replansLeft, (problem) => isGraveMistake(problem, subject.specs));
  return { ...findings, verdict, plan };
}

/** The name of the first check: whether the proposal is a plan. */
const TYPED = 'typed';

/** Checks the arguments of every step, then the order of all bindings. */
function examineAllArguments(
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

function prepareSubject(proposed: Plan, plan: Plan, context: VerifyContext): Subject {
  const graph = graphOf(plan);
  const specs = plan.steps.map(({ tool }) => context.tools.get(tool));
  const sources = bindingSources(plan.steps, graph, specs, context.known.committed);
  const report = examineAllArguments(plan.steps, specs, sources, context);
  const projected = projectCost(plan, context.tools, context.known, context.draftCost ?? null);
  const decisions = stepDecisions({ plan, graph, specs }, context);
  return { proposed, plan, graph, specs, arguments: report, sources, projected, decisions, context };
}
