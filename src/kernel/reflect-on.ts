import type { Budget } from '../model/budget.ts';
import type { Effect, PlanReason } from '../model/effect.ts';
import type { EscalationTrigger } from '../model/escalation.ts';
import type { EventOf } from '../model/event.ts';
import type { ReflectionTrigger } from '../model/reflection.ts';
import { NO_COST, type ToolCost } from '../model/tool.ts';
import { askPlanner, reviewNeed } from './ask-planner.ts';
import { charge, type Reservation, reserve, settle } from './budget.ts';
import { pressure, setContext } from './budget-gauge.ts';
import { remaining } from './budget-view.ts';
import { raise } from './closing.ts';
import { haltAfterCompression } from './compress.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun, overBudget } from './escalate-run.ts';
import { land, launch } from './flight.ts';
import { idleReflection, reflectionMark } from './idle-reflection.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { mayReflect, reflectionRow } from './reflect.ts';
import { replan } from './replan.ts';
import type { RunState } from './state.ts';
import { isHeld } from './suspend.ts';

const ESCALATES_AS: Readonly<Record<ReflectionTrigger, EscalationTrigger>> = {
  tool_failure: 'repeated_failure',
  low_confidence: 'low_confidence',
  conflict: 'source_conflict',
  context_bloat: 'budget_limit',
  plan_divergence: 'plan_divergence',
};

/** Looks at what went wrong once, where the trigger allows it and the budget has a pass left; otherwise hands over. */
export function reflectOn(env: KernelEnv, state: RunState, trigger: ReflectionTrigger, reason: PlanReason): Reaction {
  if (state.budget === null) throw impossible('a reflection before the run has a budget', state);
  const idle = idleReflection(env, state);
  if (idle !== null) return withoutReflection(env, state, trigger, reason, idle);
  const used = state.counters.reflections[trigger] ?? 0;
  const ruling = mayReflect(trigger, used, remaining(state.budget).reflection_passes);
  if (!ruling.allow) {
    const bound = ruling.bound === 'budget' ? { dimension: 'reflection_passes' } : {};
    const detail = { ...reason.detail, ...bound, step_id: reason.step_id, message: reason.message };
    const stop = { code: ruling.code, reason: reason.code, detail };
    return escalateRun(env, state, ESCALATES_AS[trigger], stop, trigger === 'conflict' ? state.work.disputed : []);
  }
  const paid = payForPass(env, state.budget);
  if (!paid.ok) return overBudget(env, state, paid);
  const counted: RunState = {
    ...state,
    budget: paid.budget,
    planning: { ...state.planning, reason },
    counters: {
      ...state.counters,
      reflections: { ...state.counters.reflections, [trigger]: used + 1 },
      reflected: { mark: reflectionMark(env, state), tokens: 0 },
    },
  };
  return launch(counted, 'reflection', { kind: 'reflect', trigger, reason });
}

/** Whoever has thought for nothing does not think again: the run goes on as it would without, and that is noted. */
function withoutReflection(
  env: KernelEnv,
  state: RunState,
  trigger: ReflectionTrigger,
  reason: PlanReason,
  idle: Effect,
): Reaction {
  const used = state.counters.reflections[trigger] ?? 0;
  const { exhausted, passesMax } = reflectionRow(trigger);
  const why = { reason, trigger: ESCALATES_AS[trigger], code: exhausted };
  const stop = { code: exhausted, reason: reason.code, detail: { ...reason.detail, step_id: reason.step_id } };
  const [next, effects] =
    used < passesMax
      ? replan(env, state, why)
      : escalateRun(env, state, why.trigger, stop, trigger === 'conflict' ? state.work.disputed : []);
  return [next, [idle, ...effects]];
}

/** A reflection is one pass, and a call of a model like any other. */
function payForPass(env: KernelEnv, budget: Budget): Reservation {
  const charged = charge(budget, { reflection_passes: 1 });
  return charged.ok ? reserve(charged.budget, reviewNeed(env), 'critic') : charged;
}

/** What the reflection found goes to the Planner together with what went wrong. */
export const onReflectionMade: Reacts<'reflection_made'> = (env, state, event) => {
  const landed = land(state, 'reflection');
  const before = state.planning.reason;
  if (before === null || landed.budget === null) throw impossible('a reflection on nothing', state);
  const settled = settleReview(env, landed, landed.budget, event.spent);
  if (settled.ending.stops.length > 0) return [settled, NOTHING];
  const paid = withTokens(settled, event.spent);
  const reason = { ...before, detail: { ...before.detail, reflection: event.note } };
  const code = event.trigger === 'conflict' ? 'SOURCE_CONFLICT' : 'LOW_CONFIDENCE';
  return replan(env, paid, { reason, trigger: ESCALATES_AS[event.trigger], code });
};

/** What the pass took, to be held against what came of it. */
function withTokens(state: RunState, { input_tokens, output_tokens }: ToolCost): RunState {
  const { reflected } = state.counters;
  if (reflected === undefined) return state;
  const tokens = input_tokens + output_tokens;
  return { ...state, counters: { ...state.counters, reflected: { ...reflected, tokens } } };
}

/** Compression may only leave out what can be spared. If it lost anything else, the run does not go on from it. */
export const onContextCompressed: Reacts<'context_compressed'> = (env, state, event) => {
  const landed = land(state, 'compression');
  if (landed.budget === null) throw impossible('a compression before the run has a budget', state);
  const settled = settleReview(env, landed, landed.budget, event.spent ?? NO_COST);
  // What was called back because the run ends is no reason of its own to end it.
  if (settled.ending.stops.length > 0) return [settled, NOTHING];
  if (event.failure !== undefined) return uncompressed(env, settled, event.failure);
  const counters = { ...settled.counters, compressions: settled.counters.compressions + 1 };
  const compressed = setContext(settled.budget, event.tokens);
  const halt = haltAfterCompression(event.lost, event.tokens, pressure(compressed, env.limits.contextLimit));
  // A result that is refused is not used: the run ends with the context as it was.
  if (halt !== null) return [raise({ ...settled, counters }, halt), NOTHING];
  const { demoted = [], digest = '' } = event;
  const planning = { ...settled.planning, compressed: { demoted, digest } };
  return askPlanner(env, { ...settled, counters, planning, budget: compressed }, settled.planning.reason);
};

/** Nobody could be asked. That was no pass: whoever lets the run go on has it tried again. */
function uncompressed(env: KernelEnv, state: RunState, { code, message }: Outage): Reaction {
  if (isHeld(state.session.status)) return [state, NOTHING];
  return escalateRun(env, state, 'provider_outage', {
    code: 'UNAVAILABLE_DEP',
    reason: code,
    detail: { dependency: 'compressor', message },
  });
}

type Outage = NonNullable<EventOf<'context_compressed'>['failure']>;

/** What a review took is charged as measured; what goes beyond what was set aside is recorded and ends the run. */
function settleReview(
  env: KernelEnv,
  state: RunState,
  budget: Budget,
  spent: ToolCost,
): RunState & { readonly budget: Budget } {
  const { input_tokens, output_tokens, microusd: cost_microusd } = spent;
  const settled = settle(budget, reviewNeed(env), { input_tokens, output_tokens, cost_microusd }, 'critic');
  const paid = { ...state, budget: settled.budget };
  if (settled.overrun === null) return paid;
  const detail = { dimension: settled.overrun };
  return { ...raise(paid, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail }), budget: settled.budget };
}
