import type { ApprovalEntry } from '../../../model/critic/decision-record.ts';
import type { CaseClaim, OpenPart, PolicyOutcome, RunCase, StepCase } from '../../../model/critic/judged-case.ts';
import type { SourcedFact, StatedFact } from '../../../model/evidence/evidence.ts';
import { REQUEST_ANSWERED } from '../../../model/plan/goal.ts';
import { type PolicyDecision, whyForbidden } from '../../../model/policy/policy-decision.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import { panelCase } from '../../state/judge-panel.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { assertedBy, contestedFacts, statementsAbout } from '../../state/stated-facts.ts';
import { vecGet } from '../../state/vec.ts';
import { isObserved } from '../evidence/committed.ts';
import { checkCompletion, endsByAnswer } from '../plan/completion.ts';
import { directAnswer, directReply, reasoningOf } from '../plan/reasoning.ts';
import { standingScores } from '../plan/steps.ts';
import { specOf } from '../plan/tools.ts';

const NONE: readonly never[] = Object.freeze([]);
const NO_POLICY = Object.freeze({ permitted: true, reason: 'there are no policies about calls' });

/** The policy outcome of the clearance. A call that a person cleared against the policies stays not permitted. */
function policyOutcome(policy: PolicyDecision | undefined): PolicyOutcome {
  if (policy === undefined) return NO_POLICY;
  const known = OUTCOMES.get(policy);
  if (known !== undefined) return known;
  const outcome = describeOutcome(policy);
  if (Object.isFrozen(policy)) OUTCOMES.set(policy, outcome);
  return outcome;
}

/** Outcomes by decision: equal calls share one decision object. */
const OUTCOMES: WeakMap<PolicyDecision, PolicyOutcome> = new WeakMap();

function describeOutcome(policy: PolicyDecision): PolicyOutcome {
  const permitted = policy.effect === 'permit';
  const reason = permitted ? policy.reasons.join('; ') || policy.version : whyForbidden(policy);
  return Object.freeze({ permitted, reason });
}

/** The critic's input for a step, taken from the state alone, so that a live run and replay get the same verdict. */
export function buildStepCase(env: KernelEnv, state: RunState, stepId: string): StepCase {
  const { current } = state;
  const active = state.planning.active;
  const step = current === null ? undefined : active?.plan.steps[current.index];
  if (
    current === null ||
    current.stepId !== stepId ||
    step === undefined ||
    active === null ||
    current.observed === null
  ) {
    throw impossibleEvent(`nothing to show of step ${stepId}`, state);
  }
  const tool = specOf(env, current.tool);
  const expected = step.expected_output;
  const facts: StepCase = {
    step,
    tool,
    args: current.args,
    outcome: current.observed.outcome,
    output: vecGet(state.work.progress, current.index)?.fact?.value ?? null,
    problems: NONE,
    support: {
      evidence: {
        known: state.work.evidenceByType,
        needed: evidenceNeeded(env, tool.name),
        expected: expected !== undefined && env.tools.producesType(expected) ? [expected] : NONE,
        supplied: tool.produces,
        unresolved: NONE,
      },
      approvals: approvalsOf(state, stepId),
      policy: policyOutcome(current.policy),
      assumptions: active.plan.assumptions?.filter((assumption) => assumption.step === stepId) ?? NONE,
      criteria: NONE,
      facts: relatedFacts(env, state, tool),
      spending: { spent: current.observed.spent, projected: tool.cost },
    },
  };
  const panel = panelCase(state.panel, stepId);
  return panel === null ? facts : { ...facts, panel };
}

/** The evidence types that the decisions about this tool require. */
function evidenceNeeded(env: KernelEnv, tool: string): readonly string[] {
  const needed: string[] = [];
  for (const decision of env.catalog.values()) if (decision.actions.includes(tool)) needed.push(...decision.evidence);
  return needed;
}

function approvalsOf(state: RunState, stepId: string): readonly ApprovalEntry[] {
  const { approvals } = state.people;
  return approvals.length === 0 ? approvals : approvals.filter((entry) => entry.step_id === stepId);
}

/** The facts that this step asserts, with the facts of other sources about the same subjects. */
function relatedFacts(env: KernelEnv, state: RunState, tool: ToolSpec): readonly SourcedFact[] {
  const { current, work } = state;
  const fact = current === null ? null : vecGet(work.progress, current.index)?.fact;
  if (tool.asserts === undefined || current === null || fact == null) return NONE;
  const asserted = assertedBy(tool, current.args, fact);
  return markCritical(
    env,
    state,
    asserted.flatMap((each) => statementsAbout(work.stated, each)),
  );
}

/**
 * Marks a fact as critical if a primary criterion or a decision depends on its type. Without declared criteria the answer
 * may rest on any fact, so each one is critical.
 */
function markCritical(env: KernelEnv, state: RunState, facts: readonly StatedFact[]): readonly SourcedFact[] {
  if (facts.length === 0) return NONE;
  if (endsByAnswer(state)) return facts.map((fact) => ({ ...fact, critical: true }));
  const critical = new Set([...env.catalog.values()].flatMap(({ evidence }) => evidence));
  for (const { rank, evidence } of state.intake.goal?.acceptance_criteria ?? NONE) {
    if (rank === 'primary' && evidence !== undefined) critical.add(evidence);
  }
  return facts.map((fact) => ({ ...fact, critical: critical.has(fact.type) }));
}

function directClaims(state: RunState): readonly CaseClaim[] {
  const statement = directAnswer(state);
  return statement === null ? NONE : [{ statement, observation: null, task: reasoningOf(state).task }];
}

/**
 * The evidence for the criteria. A draft, or the answer of a run with a single call, counts as evidence for criteria
 * without an evidence type, but never for evidence that a tool has to produce.
 */
function directEvidence(env: KernelEnv, state: RunState, open: OpenPart | null): Readonly<Record<string, string>> {
  const { evidenceByType } = state.work;
  if (open !== null) return evidenceByType;
  if (endsByAnswer(state) || directReply(state) !== null) return withCompletion(env, state);
  const evidenceId = selfEvidence(state);
  if (evidenceId === null) return evidenceByType;
  const untyped = state.intake.goal?.acceptance_criteria.filter(({ evidence }) => evidence === undefined) ?? NONE;
  return { ...Object.fromEntries(untyped.map(({ id }) => [id, evidenceId])), ...evidenceByType };
}

/** A permitted end of the run is the evidence that its request is answered. */
function withCompletion(env: KernelEnv, state: RunState): Readonly<Record<string, string>> {
  const { evidenceByType } = state.work;
  const completion = checkCompletion(env, state);
  return completion.permitted ? { [REQUEST_ANSWERED.id]: completion.evidenceId, ...evidenceByType } : evidenceByType;
}

function selfEvidence(state: RunState): string | null {
  const plan = state.planning.active?.plan;
  if (plan?.answer !== undefined) return plan.plan_id;
  return state.intake.goal?.call === undefined ? null : (vecGet(state.work.evidence, 0) ?? null);
}

/** The critic's input for the run. A part of the question that is open keeps the request from being answered. */
export function buildRunCase(env: KernelEnv, state: RunState, open: OpenPart | null = null): RunCase {
  const facts: RunCase = {
    risk: state.intake.risk,
    // A message that asks for no action has no other criterion than its reply.
    criteria: directReply(state) === null ? (state.intake.goal?.acceptance_criteria ?? NONE) : [REQUEST_ANSWERED],
    evidence: directEvidence(env, state, open),
    // Scores of earlier plans are left out: they led to the new plan and would fail every run that corrected itself.
    steps: standingScores(state),
    facts: markCritical(env, state, contestedFacts(state.work.stated)),
    claims: directClaims(state),
    observations: { has: (id) => isObserved(state, id) },
  };
  const panel = panelCase(state.panel, null);
  return panel === null ? facts : { ...facts, panel };
}
