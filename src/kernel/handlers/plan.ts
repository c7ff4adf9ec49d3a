import { COUNTER_ROWS } from '../../model/budget/dimensions.ts';
import type { Effect } from '../../model/events/effect.ts';
import { violation } from '../../model/events/effect-kinds.ts';
import type { EventOf } from '../../model/events/event.ts';
import type { PlanAuthor } from '../../model/events/plan-events.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { resolveDecisions } from '../../model/policy/policy-decision.ts';
import { isHeld } from '../../model/run/session-status.ts';
import { findInjection } from '../../model/text/find-injection.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import { settle } from '../budget/budget.ts';
import { setContext } from '../budget/gauges.ts';
import type { KernelEnv } from '../env.ts';
import { askUser, handleQuestionRequest } from '../flow/people/ask-user.ts';
import { type BudgetShortfall, escalateOverBudget, escalateRun } from '../flow/people/escalate.ts';
import { activatePlan, beginPlan, keepPlan } from '../flow/plan/activate.ts';
import { escalateDrift, isDrifting, notedDistances } from '../flow/plan/goal-drift.ts';
import { refuseOutput } from '../flow/plan/output.ts';
import { loopDetected, plannerNeed, replan, requestPlan, takeReplan } from '../flow/plan/replan.ts';
import { PROVIDER_FAILURES } from '../query/gate/escalation-cause.ts';
import { admitProposal, readQuestion } from '../query/gate/model-request.ts';
import { countSteps, isReactive } from '../query/plan/reactive-route.ts';
import { hasReadUntrusted } from '../query/provenance/inputs.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import { notePlan } from '../state/loop-guard.ts';
import type { UserQuestion } from '../state/people-state.ts';
import { withDecision } from '../state/react-state.ts';
import type { RunState } from '../state/run-state.ts';
import { checkpointId, renderVerdict } from '../transition/checkpoint.ts';
import { land, NO_EFFECTS, type Reaction, type Reacts, raise } from '../transition/reaction.ts';
import { canWalk, isAtNode, walk } from '../transition/walk.ts';

/** The length of a proposal that is searched for injection wordings. */
const READ_MAX = 100_000;

/**
 * The report on repeated denials, which may be caused by an injection: whether untrusted text was read, whether the
 * plan was made after that, and suspicious wordings.
 */
function permissionCreep({ planning, counters }: RunState): JsonObject {
  const text = canonicalize(planning.proposal ?? null).slice(0, READ_MAX);
  return {
    denials: counters.denials,
    injection_check: {
      untrusted_text_read: planning.exposed,
      planned_after_untrusted: planning.tainted,
      wordings: findInjection(text),
    },
  };
}

export const onPlanProposed: Reacts<'plan_proposed'> = (env, state, event) => {
  const landed = settlePlanner(env, land(state, 'plan'), event.spent, event.context_tokens);
  if (landed.ending.stops.length > 0) return [landed, NO_EFFECTS];
  const { proposal, author } = event;
  const question = readQuestion(proposal);
  if (question !== null) return handleQuestion(env, landed, author, question);
  // The plan does not include a question that arrived while it was being made.
  const handled = isHeld(landed.session.status) ? null : handleQuestionRequest(env, landed);
  if (handled !== null) return handled;
  const tainted = author === 'model' && hasReadUntrusted(landed);
  const filled = author === 'host' ? (event.filled ?? null) : null;
  const proposed = { ...landed, planning: { ...landed.planning, proposal, author, filled, tainted } };
  if (proposal === null || !canWalk(env, proposed, 'plan_validation')) return replanUntyped(env, landed);
  return [
    walk(env, proposed, 'plan_validation'),
    [...noteDroppedSteps(env, proposal), { kind: 'verify_plan', proposal }],
  ];
};

/** Notes that a reactive run takes only the first step of a longer plan. */
function noteDroppedSteps(env: KernelEnv, proposal: Json): readonly Effect[] {
  const steps = isReactive(env) ? countSteps(proposal) : 0;
  const why = 'one step is decided at a time: only the first was taken';
  return steps > 1 ? [violation('proposal', `a plan of ${steps} steps`, why)] : NO_EFFECTS;
}

/** Asks the planner's question to the user, unless the planner is a model without that right. */
function handleQuestion(env: KernelEnv, state: RunState, author: PlanAuthor, question: UserQuestion): Reaction {
  const kind = 'clarification_request';
  const admitted = admitProposal(
    kind,
    author === 'host' ? undefined : state.manifest?.autonomy_boundary.decision_rights,
  );
  if (!admitted.ok) {
    const [next, effects] = replanUntyped(env, state);
    return [next, [violation('proposal', kind, admitted.message), ...effects]];
  }
  // A paused run asks the question when it continues.
  if (isHeld(state.session.status)) return [{ ...state, people: { ...state.people, wanted: question } }, NO_EFFECTS];
  return askUser(env, state, question);
}

export const onPlanFailed: Reacts<'plan_failed'> = (env, state, event) => {
  const landed = settlePlanner(env, land(state, 'plan'), event.spent, null);
  if (landed.ending.stops.length > 0) return [landed, NO_EFFECTS];
  const replanned = PROVIDER_FAILURES.has(event.code) ? null : takeReplan(landed);
  if (replanned !== null) {
    return requestPlan(env, replanned, { code: event.code, step_id: null, message: event.message, detail: {} });
  }
  return escalateRun(env, landed, 'provider_outage', {
    code: 'UNAVAILABLE_DEP',
    reason: event.code,
    detail: { dependency: 'planner', message: event.message },
  });
};

export const UNTYPED_PLAN = 'the answer is not a structured plan of the kind this graph admits';

/** Replans an answer that cannot enter validation: prose, or a plan of the wrong author. */
function replanUntyped(env: KernelEnv, state: RunState): Reaction {
  const reason = { code: 'plan_untyped', step_id: null, message: UNTYPED_PLAN, detail: {} };
  return replan(env, state, { reason, trigger: 'validation_failed', code: 'VALIDATION_FAIL' });
}

/** Charges the measured cost of the planner. An overrun ends the run. */
function settlePlanner(env: KernelEnv, state: RunState, spent: ToolCost, contextTokens: number | null): RunState {
  if (state.budget === null) throw impossibleEvent('a plan before the run has a budget', state);
  const actual = {
    input_tokens: spent.input_tokens,
    output_tokens: spent.output_tokens,
    cost_microusd: spent.microusd,
  };
  const settled = settle(state.budget, plannerNeed(env), actual, 'planner');
  const budget = contextTokens === null ? settled.budget : setContext(settled.budget, contextTokens);
  const charged = { ...state, budget };
  if (settled.overrun === null) return charged;
  const detail = { dimension: settled.overrun };
  return raise(charged, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail });
}

export const onPlanVerified: Reacts<'plan_verified'> = (env, state, event) => {
  const { proposal, tainted } = state.planning;
  if ((event.tainted === true) !== tainted) throw impossibleEvent('a plan that hides what its author had read', state);
  const isExpected = isAtNode(env, state, 'plan_validation') || isAtNode(env, state, 'human_approval');
  if (!isExpected || proposal === null || state.planning.verdict !== null) {
    throw impossibleEvent('a verification nobody asked for', state);
  }
  const verified = setVerdict(state, event);
  if (event.verdict === 'ok') return acceptPlan(env, verified, event, proposal);
  const [judged, checkpoint] = renderVerdict(env, verified, event.verdict, null);
  const [next, effects] = isKeptWaiting(env, judged)
    ? handOverPlan(env, judged, event)
    : refusePlan(env, judged, event);
  return [next, [...checkpoint, ...effects]];
};

function setVerdict(state: RunState, event: EventOf<'plan_verified'>): RunState {
  const { verdict, policy = [] } = event;
  return { ...state, planning: { ...state.planning, verdict, decisions: resolveDecisions(policy) } };
}

/** Whether the plan of a migrated run is refused at the approval node, which has no edge back to the planner. */
const isKeptWaiting = (env: KernelEnv, state: RunState): boolean =>
  state.planning.unverified !== undefined && isAtNode(env, state, 'human_approval');

/** Hands the run over to a person, because its plan does not fit the tools that it was migrated to. */
function handOverPlan(env: KernelEnv, state: RunState, { problems }: EventOf<'plan_verified'>): Reaction {
  const detail: JsonObject = { problems: problems.map((problem) => ({ ...problem })) };
  return escalateRun(env, state, 'validation_failed', { code: 'VALIDATION_FAIL', reason: 'plan_rejected', detail });
}

/** Activates the plan. From here on only its verified steps may run. */
function acceptPlan(env: KernelEnv, state: RunState, event: EventOf<'plan_verified'>, proposal: Json): Reaction {
  if (event.plan_hash === null) throw impossibleEvent('a plan without its hash', state);
  const { active, unverified } = state.planning;
  if (unverified !== undefined && event.plan_hash === active?.hash) return continuePlan(env, keepPlan(env, state));
  // The critic has parsed it: a proposal with the verdict `ok` is a Plan.
  const plan = event.plan ?? (proposal as unknown as Plan);
  const distances = notedDistances(env, state, plan);
  if (isDrifting(distances)) return escalateDrift(env, state, plan, distances);
  const noted = notePlan(state.guard, event.plan_hash, state.work.evidence.size);
  if (noted.trip !== null) return loopDetected(env, { ...state, guard: noted.guard }, noted.trip);
  if (plan.steps.length > 1 && !hasLoop(env)) return rejectLongPlan(env, state, plan);
  const planning = distances.length === 0 ? state.planning : { ...state.planning, distances };
  const fresh = { ...state, planning, guard: noted.guard };
  return continuePlan(env, noteDecision(env, activatePlan(env, fresh, plan, event.plan_hash), plan));
}

/** Starts or continues the plan that has just been verified. */
function continuePlan(env: KernelEnv, state: RunState): Reaction {
  const [judged, checkpoint] = renderVerdict(env, state, 'ok', null);
  const [next, effects] = beginPlan(env, judged);
  return [next, [...checkpoint, ...effects]];
}

/** Adds the decision to the history of a reactive run and clears its last error. */
function noteDecision(env: KernelEnv, state: RunState, { steps: [step], draft }: Plan): RunState {
  if (!isReactive(env) || step === undefined) return state;
  return { ...state, react: withDecision(state.react, step, draft) };
}

/** Whether the graph has an edge back to the plan node for a second step. */
function hasLoop(env: KernelEnv): boolean {
  const [from, to] = [env.graph.idOf('completion_check'), env.graph.idOf('plan')];
  return from !== null && to !== null && env.graph.edge(from, to) !== null;
}

function rejectLongPlan(env: KernelEnv, state: RunState, plan: Plan): Reaction {
  const detail = { steps: plan.steps.length, graph: env.graph.spec.name };
  return escalateRun(env, state, 'validation_failed', { code: 'VALIDATION_FAIL', reason: 'plan_too_large', detail });
}

/** Problem codes for a missing right. A replan does not change them. */
const DENIALS: ReadonlySet<string> = new Set([
  'tool_not_allowed',
  'approval_authority_exceeded',
  'argument_not_allowed',
  'permission_denied',
  'condition_unanswered',
  'condition_not_met',
]);

const isOutputProblem = ({ path }: Problem): boolean => path === '/output' || path.startsWith('/output/');

function refusePlan(env: KernelEnv, state: RunState, event: EventOf<'plan_verified'>): Reaction {
  const first = event.problems[0];
  const code = first?.code ?? 'plan_untyped';
  const message = event.problems.map((problem) => problem.message).join('; ');
  const detail: JsonObject = { problems: event.problems.map((problem) => ({ ...problem })) };
  const reason = { code, step_id: first?.step_id ?? null, message, detail };
  const isDenied = event.problems.some((problem) => DENIALS.has(problem.code));
  const counted = isDenied ? countDenial(state) : state;
  const { denials } = counted.counters;
  if (denials.length >= env.limits.denialsMax) {
    const flagged = { ...detail, permission_creep: permissionCreep(counted) };
    const stop = { code: 'PERMISSION_DENIED', reason: 'repeated_denial', detail: flagged } as const;
    return escalateRun(env, counted, 'repeated_denial', stop, denials);
  }
  const ofOutput = event.problems.filter(isOutputProblem).length;
  if (ofOutput > 0 && (event.verdict === 'replan' || ofOutput === event.problems.length))
    return refuseOutput(env, counted, event.problems);
  if (event.verdict === 'replan') {
    return replan(env, counted, { reason, trigger: 'validation_failed', code: 'VALIDATION_FAIL' });
  }
  const overspent = event.problems.find((problem) => problem.code === 'budget_projection_exceeded');
  if (overspent !== undefined)
    return escalateOverBudget(env, counted, projectedShortfall(counted, overspent.detail ?? {}));
  const unsupported = event.problems.some((problem) => problem.detail?.['needed'] === 'sources');
  if (unsupported) {
    return escalateRun(env, counted, 'validation_failed', {
      code: 'REVIEW_REQUIRED',
      reason: 'sources_missing',
      detail,
    });
  }
  const isExhausted = takeReplan(counted) === null;
  return escalateRun(env, counted, isDenied ? 'permission_denied' : 'validation_failed', {
    code: isDenied ? 'PERMISSION_DENIED' : 'VALIDATION_FAIL',
    reason: isExhausted && !isDenied ? 'replan_budget_exhausted' : 'plan_rejected',
    detail,
  });
}

/** Counts a denial under the checkpoint of its verdict. */
function countDenial(state: RunState): RunState {
  const denials = [...state.counters.denials, checkpointId(state)];
  return { ...state, counters: { ...state.counters, denials } };
}

/** The projected shortage, in the name and unit of its budget dimension. */
function projectedShortfall({ budget }: RunState, detail: JsonObject): BudgetShortfall {
  const { dimension, needed, left } = detail;
  const hasOwnCap = dimension === 'cost_microusd' && budget?.caps.tool_spend_usd_max !== undefined;
  const counter = hasOwnCap ? 'tool_spend_microusd' : dimension;
  const row = COUNTER_ROWS.find((candidate) => candidate.counter === counter);
  const scale = row?.scale ?? 1;
  return { dimension: row?.dimension ?? String(dimension), needed: Number(needed) / scale, left: Number(left) / scale };
}
