import type { Effect } from '../model/effect.ts';
import type { EventOf } from '../model/event.ts';
import type { PlanAuthor } from '../model/events/plan-events.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import { decisionsAbout } from '../model/policy-decision.ts';
import type { ToolCost } from '../model/tool.ts';
import { activatePlan } from './activate-plan.ts';
import { askPlanner, plannerNeed } from './ask-planner.ts';
import { askUser, heedQuestion } from './ask-user.ts';
import { beginPlan } from './begin-plan.ts';
import { admitProposal } from './boundary.ts';
import { settle } from './budget.ts';
import { COUNTER_ROWS } from './budget-account.ts';
import { setContext } from './budget-gauge.ts';
import { checkpointId, renderVerdict } from './checkpointing.ts';
import { raise } from './closing.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun, overBudget, type Shortfall } from './escalate-run.ts';
import { land } from './flight.ts';
import { drifted, isDrifting, notedDistances } from './goal-drift.ts';
import { inputsOfOthers } from './inputs-of-others.ts';
import { loopDetected } from './loop-detected.ts';
import { notePlan } from './loop-guard.ts';
import { questionIn } from './model-question.ts';
import type { Question } from './people-state.ts';
import { permissionCreep } from './permission-creep.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { countSteps } from './reactive/one-step.ts';
import { withDecision } from './reactive/react-state.ts';
import { isReactive } from './reactive/route-of.ts';
import { replan, takeReplan } from './replan.ts';
import type { RunState } from './state.ts';
import { isHeld } from './suspend.ts';
import { violation } from './violation.ts';
import { canWalk, standsOn, walk } from './walk.ts';

export const onPlanProposed: Reacts<'plan_proposed'> = (env, state, event) => {
  const landed = settlePlanner(env, land(state, 'plan'), event.spent, event.context_tokens);
  if (landed.ending.stops.length > 0) return [landed, NOTHING];
  const { proposal, author } = event;
  const question = questionIn(proposal);
  if (question !== null) return askedBack(env, landed, author, question);
  // What was wanted while the plan was being made is not in it.
  const heeded = isHeld(landed.session.status) ? null : heedQuestion(env, landed);
  if (heeded !== null) return heeded;
  const tainted = author === 'model' && hasReadUntrusted(landed);
  const filled = author === 'host' ? (event.filled ?? null) : null;
  const proposed = { ...landed, planning: { ...landed.planning, proposal, author, filled, tainted } };
  if (proposal === null || !canWalk(env, proposed, 'plan_validation')) return notAPlan(env, landed);
  return [walk(env, proposed, 'plan_validation'), [...leftOut(env, proposal), { kind: 'verify_plan', proposal }]];
};

/** Several steps where one is decided at a time: only the first is taken, and that the others were not is on record. */
function leftOut(env: KernelEnv, proposal: Json): readonly Effect[] {
  const steps = isReactive(env) ? countSteps(proposal) : 0;
  const why = 'one step is decided at a time: only the first was taken';
  return steps > 1 ? [violation('proposal', `a plan of ${steps} steps`, why)] : NOTHING;
}

/** From what is recorded, never from what the model says of itself. */
const hasReadUntrusted = (state: RunState): boolean => state.planning.exposed || inputsOfOthers(state).length > 0;

/** A question instead of a plan goes to the user, unless a model asked that has no right to. */
function askedBack(env: KernelEnv, state: RunState, author: PlanAuthor, question: Question): Reaction {
  const kind = 'clarification_request';
  const admitted = admitProposal(
    kind,
    author === 'host' ? undefined : state.manifest?.autonomy_boundary.decision_rights,
  );
  if (!admitted.ok) {
    const [next, effects] = notAPlan(env, state);
    return [next, [violation('proposal', kind, admitted.message), ...effects]];
  }
  // Somebody paused the run meanwhile: whoever lets it go on will see the question.
  if (isHeld(state.session.status)) return [{ ...state, people: { ...state.people, wanted: question } }, NOTHING];
  return askUser(env, state, question);
}

/**
 * What a provider has refused as it is, it would refuse again: nobody plans any better for being asked once more. One that is
 * asked too often was waited for already, or wants to be left alone for longer than anybody waits here.
 */
const CRITICAL: ReadonlySet<string> = new Set(['model_rejected', 'model_misconfigured', 'model_overloaded']);

export const onPlanFailed: Reacts<'plan_failed'> = (env, state, event) => {
  const landed = settlePlanner(env, land(state, 'plan'), event.spent, null);
  if (landed.ending.stops.length > 0) return [landed, NOTHING];
  const again = CRITICAL.has(event.code) ? null : takeReplan(landed);
  if (again !== null) {
    return askPlanner(env, again, { code: event.code, step_id: null, message: event.message, detail: {} });
  }
  return escalateRun(env, landed, 'provider_outage', {
    code: 'UNAVAILABLE_DEP',
    reason: event.code,
    detail: { dependency: 'planner', message: event.message },
  });
};

/** What came back does not even open the edge to validation: prose where a plan belongs, or a plan from the wrong hand. */
function notAPlan(env: KernelEnv, state: RunState): Reaction {
  const message = 'the answer is not a structured plan of the kind this graph admits';
  const reason = { code: 'plan_untyped', step_id: null, message, detail: {} };
  return replan(env, state, { reason, trigger: 'validation_failed', code: 'VALIDATION_FAIL' });
}

/** What the planner spent is charged as measured, never as the model says; an overrun is recorded and ends the run. */
function settlePlanner(env: KernelEnv, state: RunState, spent: ToolCost, contextTokens: number | null): RunState {
  if (state.budget === null) throw impossible('a plan before the run has a budget', state);
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
  if ((event.tainted === true) !== tainted) throw impossible('a plan that hides what its author had read', state);
  const asked = standsOn(env, state, 'plan_validation') || standsOn(env, state, 'human_approval');
  if (!asked || proposal === null || state.planning.verdict !== null) {
    throw impossible('a verification nobody asked for', state);
  }
  const verified = withVerdict(state, event);
  if (event.verdict === 'ok') return acceptPlan(env, verified, event, proposal);
  const [judged, checkpoint] = renderVerdict(env, verified, event.verdict, null);
  const [next, effects] = refusePlan(env, judged, event);
  return [next, [...checkpoint, ...effects]];
};

function withVerdict(state: RunState, event: EventOf<'plan_verified'>): RunState {
  const { verdict, policy = [] } = event;
  return { ...state, planning: { ...state.planning, verdict, decisions: decisionsAbout(policy) } };
}

/** The plan stands. From here on only its steps may run, exactly as they were verified. */
function acceptPlan(env: KernelEnv, state: RunState, event: EventOf<'plan_verified'>, proposal: Json): Reaction {
  if (event.plan_hash === null) throw impossible('a plan without its hash', state);
  // The critic has parsed it: a proposal with the verdict `ok` is a Plan.
  const plan = event.plan ?? (proposal as unknown as Plan);
  const distances = notedDistances(env, state, plan);
  if (isDrifting(distances)) return drifted(env, state, plan, distances);
  const noted = notePlan(state.guard, event.plan_hash, state.work.evidence.size);
  if (noted.trip !== null) return loopDetected(env, { ...state, guard: noted.guard }, noted.trip);
  if (plan.steps.length > 1 && !goesRound(env)) return tooLong(env, state, plan);
  const planning = distances.length === 0 ? state.planning : { ...state.planning, distances };
  const fresh = { ...state, planning, guard: noted.guard };
  const activated = withDecided(env, activatePlan(env, fresh, plan, event.plan_hash), plan);
  const [active, checkpoint] = renderVerdict(env, activated, 'ok', null);
  const [next, effects] = beginPlan(env, active);
  return [next, [...checkpoint, ...effects]];
}

/** The decision is part of what the next one is made by, and settles whatever went wrong before it. */
function withDecided(env: KernelEnv, state: RunState, { steps: [step] }: Plan): RunState {
  if (!isReactive(env) || step === undefined) return state;
  return { ...state, react: withDecision(state.react, step) };
}

/** Whether the graph comes back for a second step. */
function goesRound(env: KernelEnv): boolean {
  const [from, to] = [env.graph.idOf('completion_check'), env.graph.idOf('plan')];
  return from !== null && to !== null && env.graph.edge(from, to) !== null;
}

function tooLong(env: KernelEnv, state: RunState, plan: Plan): Reaction {
  const detail = { steps: plan.steps.length, graph: env.graph.spec.name };
  return escalateRun(env, state, 'validation_failed', { code: 'VALIDATION_FAIL', reason: 'plan_too_large', detail });
}

/** Codes that say the run reached for something it has no right to. Planning again does not change that. */
const DENIALS: ReadonlySet<string> = new Set([
  'tool_not_allowed',
  'approval_authority_exceeded',
  'argument_not_allowed',
  'permission_denied',
]);

function refusePlan(env: KernelEnv, state: RunState, event: EventOf<'plan_verified'>): Reaction {
  const first = event.problems[0];
  const code = first?.code ?? 'plan_untyped';
  const message = event.problems.map((problem) => problem.message).join('; ');
  const detail: JsonObject = { problems: event.problems.map((problem) => ({ ...problem })) };
  const reason = { code, step_id: first?.step_id ?? null, message, detail };
  const denied = event.problems.some((problem) => DENIALS.has(problem.code));
  const counted = denied ? countDenial(state) : state;
  const { denials } = counted.counters;
  if (denials.length >= env.limits.denialsMax) {
    const flagged = { ...detail, permission_creep: permissionCreep(counted) };
    const stop = { code: 'PERMISSION_DENIED', reason: 'repeated_denial', detail: flagged } as const;
    return escalateRun(env, counted, 'repeated_denial', stop, denials);
  }
  if (event.verdict === 'replan') {
    return replan(env, counted, { reason, trigger: 'validation_failed', code: 'VALIDATION_FAIL' });
  }
  const overspent = event.problems.find((problem) => problem.code === 'budget_projection_exceeded');
  if (overspent !== undefined) return overBudget(env, counted, projection(counted, overspent.detail ?? {}));
  const unsupported = event.problems.some((problem) => problem.detail?.['needed'] === 'sources');
  if (unsupported) {
    return escalateRun(env, counted, 'validation_failed', {
      code: 'REVIEW_REQUIRED',
      reason: 'sources_missing',
      detail,
    });
  }
  const exhausted = takeReplan(counted) === null;
  return escalateRun(env, counted, denied ? 'permission_denied' : 'validation_failed', {
    code: denied ? 'PERMISSION_DENIED' : 'VALIDATION_FAIL',
    reason: exhausted && !denied ? 'replan_budget_exhausted' : 'plan_rejected',
    detail,
  });
}

/** Under the checkpoint of the verdict, which was rendered just now. */
function countDenial(state: RunState): RunState {
  const denials = [...state.counters.denials, checkpointId(state)];
  return { ...state, counters: { ...state.counters, denials } };
}

/** What a plan would take too much of, under the name and in the unit of its dimension. */
function projection({ budget }: RunState, detail: JsonObject): Shortfall {
  const { dimension, needed, left } = detail;
  const ownCap = dimension === 'cost_microusd' && budget?.caps.tool_spend_usd_max !== undefined;
  const counter = ownCap ? 'tool_spend_microusd' : dimension;
  const row = COUNTER_ROWS.find((candidate) => candidate.counter === counter);
  const scale = row?.scale ?? 1;
  return { dimension: row?.dimension ?? String(dimension), needed: Number(needed) / scale, left: Number(left) / scale };
}
