import type { ApprovalEntry } from '../model/decision.ts';
import type { AcceptanceCriterion } from '../model/goal.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { PanelCase } from '../model/judge.ts';
import type { Assumption, PlanStep } from '../model/plan.ts';
import { type PolicyDecision, whyForbidden } from '../model/policy-decision.ts';
import type { RiskClass } from '../model/risk.ts';
import type { SourcedFact, StatedFact } from '../model/sourced-fact.ts';
import type { ToolCost, ToolOutcome, ToolSpec } from '../model/tool.ts';
import type { StepScore } from '../model/verdict.ts';
import { standingScores } from './carry.ts';
import type { ObservationIds } from './claims.ts';
import { isObserved } from './committed.ts';
import type { KernelEnv } from './env.ts';
import { panelCase } from './judges/panel.ts';
import { impossible } from './reaction.ts';
import { directAnswer, reasoningOf } from './required-reasoning.ts';
import { specOf } from './spec-of.ts';
import type { RunState } from './state.ts';
import { assertedBy, contestedFacts, saidAbout } from './stated-facts.ts';
import { vecGet } from './vec.ts';

/**
 * What the Critic is shown of a step and of a run: everything it may judge by, taken from the state and from nowhere
 * else. The live run and replay show it the same, which is why they hear the same.
 */
export interface StepFacts {
  readonly step: PlanStep;
  readonly tool: ToolSpec;
  readonly args: JsonObject;
  readonly outcome: ToolOutcome;
  readonly output: Json | null;
  readonly problems: readonly never[];
  readonly support: {
    readonly evidence: {
      readonly known: Readonly<Record<string, string>>;
      readonly needed: readonly string[];
      readonly expected: readonly string[];
      readonly supplied: readonly string[];
      readonly unresolved: readonly string[];
    };
    readonly approvals: readonly ApprovalEntry[];
    readonly policy: { readonly permitted: boolean; readonly reason: string };
    readonly assumptions: readonly Assumption[];
    readonly criteria: readonly never[];
    readonly facts: readonly SourcedFact[];
    readonly spending: { readonly spent: ToolCost; readonly projected: ToolCost };
  };
  readonly panel?: PanelCase;
}

const NONE: readonly never[] = Object.freeze([]);
const NO_POLICY = Object.freeze({ permitted: true, reason: 'there are no policies about calls' });

/** As recorded when the call was cleared. A call that somebody cleared against the policies is not permitted by that. */
function policyOutcome(policy: PolicyDecision | undefined): PolicyOutcome {
  if (policy === undefined) return NO_POLICY;
  const known = OUTCOMES.get(policy);
  if (known !== undefined) return known;
  const outcome = outcomeOf(policy);
  if (Object.isFrozen(policy)) OUTCOMES.set(policy, outcome);
  return outcome;
}

type PolicyOutcome = StepFacts['support']['policy'];

/** Calls that look the same to the policies are decided about once, and the decision is put into words once. */
const OUTCOMES: WeakMap<PolicyDecision, PolicyOutcome> = new WeakMap();

function outcomeOf(policy: PolicyDecision): PolicyOutcome {
  const permitted = policy.effect === 'permit';
  const reason = permitted ? policy.reasons.join('; ') || policy.version : whyForbidden(policy);
  return Object.freeze({ permitted, reason });
}

export function stepFacts(env: KernelEnv, state: RunState, stepId: string): StepFacts {
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
    throw impossible(`nothing to show of step ${stepId}`, state);
  }
  const tool = specOf(env, current.tool);
  const expected = step.expected_output;
  const facts: StepFacts = {
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
      facts: heldAgainst(env, state, tool),
      spending: { spent: current.observed.spent, projected: tool.cost },
    },
  };
  const panel = panelCase(state.panel, stepId);
  return panel === null ? facts : { ...facts, panel };
}

/** What the decisions that govern this tool ask for. */
function evidenceNeeded(env: KernelEnv, tool: string): readonly string[] {
  const needed: string[] = [];
  for (const decision of env.catalog.values()) if (decision.actions.includes(tool)) needed.push(...decision.evidence);
  return needed;
}

function approvalsOf(state: RunState, stepId: string): readonly ApprovalEntry[] {
  const { approvals } = state.people;
  return approvals.length === 0 ? approvals : approvals.filter((entry) => entry.step_id === stepId);
}

/** What the step has just said, and what other sources say about the same. */
function heldAgainst(env: KernelEnv, state: RunState, tool: ToolSpec): readonly SourcedFact[] {
  const { current, work } = state;
  const fact = current === null ? null : vecGet(work.progress, current.index)?.fact;
  if (tool.asserts === undefined || current === null || fact == null) return NONE;
  const said = assertedBy(tool, current.args, fact);
  return sourced(
    env,
    state,
    said.flatMap((each) => saidAbout(work.stated, each)),
  );
}

/** What a primary criterion is shown by, or a decision rests on, is not for a run to be mistaken about. */
function sourced(env: KernelEnv, { intake }: RunState, facts: readonly StatedFact[]): readonly SourcedFact[] {
  if (facts.length === 0) return NONE;
  const critical = new Set([...env.catalog.values()].flatMap(({ evidence }) => evidence));
  for (const { rank, evidence } of intake.goal?.acceptance_criteria ?? NONE) {
    if (rank === 'primary' && evidence !== undefined) critical.add(evidence);
  }
  return facts.map((fact) => ({ ...fact, critical: critical.has(fact.type) }));
}

/** What the answer says, and what it rests on: nothing but the kind of its task, where the model answers by itself. */
interface RunClaim {
  readonly statement: string;
  readonly observation: string | null;
  readonly task?: string;
}

export interface RunFacts {
  readonly risk: RiskClass;
  readonly criteria: readonly AcceptanceCriterion[];
  readonly evidence: Readonly<Record<string, string>>;
  readonly steps: readonly StepScore[];
  readonly facts: readonly SourcedFact[];
  readonly claims: readonly RunClaim[];
  readonly observations: ObservationIds;
  readonly panel?: PanelCase;
}

function directClaims(state: RunState): readonly RunClaim[] {
  const statement = directAnswer(state);
  return statement === null ? NONE : [{ statement, observation: null, task: reasoningOf(state).task }];
}

/**
 * A draft is its own evidence for what no type of evidence stands for, and so is the answer of the one call that a run
 * is for; what a tool has to show is not shown by either.
 */
function directEvidence(state: RunState): Readonly<Record<string, string>> {
  const { evidenceByType } = state.work;
  const shown = shownByItself(state);
  if (shown === null) return evidenceByType;
  const untyped = state.intake.goal?.acceptance_criteria.filter(({ evidence }) => evidence === undefined) ?? NONE;
  return { ...Object.fromEntries(untyped.map(({ id }) => [id, shown])), ...evidenceByType };
}

function shownByItself(state: RunState): string | null {
  const plan = state.planning.active?.plan;
  if (plan?.answer !== undefined) return plan.plan_id;
  return state.intake.goal?.call === undefined ? null : (vecGet(state.work.evidence, 0) ?? null);
}

export function runFacts(env: KernelEnv, state: RunState): RunFacts {
  const facts: RunFacts = {
    risk: state.intake.risk,
    criteria: state.intake.goal?.acceptance_criteria ?? NONE,
    evidence: directEvidence(state),
    // What an earlier plan did badly was the reason to plan anew; held against the run as well, no run that corrected
    // itself could ever be good enough.
    steps: standingScores(state),
    facts: sourced(env, state, contestedFacts(state.work.stated)),
    claims: directClaims(state),
    observations: { has: (id) => isObserved(state, id) },
  };
  const panel = panelCase(state.panel, null);
  return panel === null ? facts : { ...facts, panel };
}
