import type { Budget } from '../../../model/budget/budget.ts';
import type { Effect, PlanReason } from '../../../model/events/effect.ts';
import type { EventOf } from '../../../model/events/event.ts';
import type { EscalationTrigger } from '../../../model/gate/escalation.ts';
import type { ReflectionTrigger } from '../../../model/plan/proposal.ts';
import { isHeld } from '../../../model/run/session-status.ts';
import { NO_COST, type ToolCost } from '../../../model/tool/tool.ts';
import { charge, type Reservation, reserve, settle } from '../../budget/budget.ts';
import { isUnderContextPressure, setContext } from '../../budget/gauges.ts';
import { remaining } from '../../budget/view.ts';
import type { KernelEnv } from '../../env.ts';
import { haltAfterCompression } from '../../query/critic-input/compression.ts';
import { findIdleReflection, mayReflect, reflectionMark, reflectionRow } from '../../query/critic-input/reflection.ts';
import { historyTokensMax } from '../../query/plan/history-limit.ts';
import { hasReadUntrusted } from '../../query/provenance/inputs.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { Compressed, RunState } from '../../state/run-state.ts';
import { land, launch, NO_EFFECTS, type Reaction, type Reacts, raise } from '../../transition/reaction.ts';
import { escalateOverBudget, escalateRun } from '../people/escalate.ts';
import { isBeforeCompressing, replan, requestPlan, reviewNeed } from './replan.ts';

const ESCALATES_AS: Readonly<Record<ReflectionTrigger, EscalationTrigger>> = {
  tool_failure: 'repeated_failure',
  low_confidence: 'low_confidence',
  conflict: 'source_conflict',
  context_bloat: 'budget_limit',
  plan_divergence: 'plan_divergence',
};

/** Starts a reflection if the trigger and the budget allow one. Otherwise escalates. */
export function reflectOn(env: KernelEnv, state: RunState, trigger: ReflectionTrigger, reason: PlanReason): Reaction {
  if (state.budget === null) throw impossibleEvent('a reflection before the run has a budget', state);
  const idle = findIdleReflection(env, state);
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
  if (!paid.ok) return escalateOverBudget(env, state, paid);
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

/** Continues without another reflection after one that changed nothing, and notes that. */
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

/** A reflection costs one pass and a model call. */
function payForPass(env: KernelEnv, budget: Budget): Reservation {
  const charged = charge(budget, { reflection_passes: 1 });
  return charged.ok ? reserve(charged.budget, reviewNeed(env), 'critic') : charged;
}

/** Replans with the finding of the reflection. */
export const onReflectionMade: Reacts<'reflection_made'> = (env, state, event) => {
  const landed = land(state, 'reflection');
  const before = state.planning.reason;
  if (before === null || landed.budget === null) throw impossibleEvent('a reflection on nothing', state);
  const settled = settleReview(env, landed, landed.budget, event.spent);
  if (settled.ending.stops.length > 0) return [settled, NO_EFFECTS];
  const paid = noteTokens(settled, event.spent);
  const reason = { ...before, detail: { ...before.detail, reflection: event.note } };
  const code = event.trigger === 'conflict' ? 'SOURCE_CONFLICT' : 'LOW_CONFIDENCE';
  return replan(env, paid, { reason, trigger: ESCALATES_AS[event.trigger], code });
};

/** Records the tokens of the pass, to detect a reflection that changed nothing. */
function noteTokens(state: RunState, { input_tokens, output_tokens }: ToolCost): RunState {
  const { reflected } = state.counters;
  if (reflected === undefined) return state;
  const tokens = input_tokens + output_tokens;
  return { ...state, counters: { ...state.counters, reflected: { ...reflected, tokens } } };
}

/** Applies a compression. If it lost material that must be kept, the run ends. */
export const onContextCompressed: Reacts<'context_compressed'> = (env, state, event) => {
  const landed = land(state, 'compression');
  if (landed.budget === null) throw impossibleEvent('a compression before the run has a budget', state);
  const settled = settleReview(env, landed, landed.budget, event.spent ?? NO_COST);
  // A compression that was aborted because the run ends is no reason to end it.
  if (settled.ending.stops.length > 0) return [settled, NO_EFFECTS];
  const counters = { ...settled.counters, compressions: settled.counters.compressions + 1 };
  if (isBeforeCompressing(env, settled)) return withShorterHistory(env, { ...settled, counters }, event);
  if (event.failure !== undefined) return escalateOutage(env, settled, event.failure);
  const shrunk = setContext(settled.budget, event.tokens);
  const halt = haltAfterCompression(event.lost, event.tokens, isUnderContextPressure(shrunk, env.limits));
  // A rejected result is not used: the run ends with the old context.
  if (halt !== null) return [raise({ ...settled, counters }, halt), NO_EFFECTS];
  return requestPlan(env, withCompressed({ ...settled, counters, budget: shrunk }, event), settled.planning.reason);
};

type Compression = EventOf<'context_compressed'>;

/**
 * Applies the compression of a long history. Its result never ends the run: if it is unusable or still too long, each
 * model reads the newest messages that fit.
 */
function withShorterHistory(
  env: KernelEnv,
  state: RunState & { readonly budget: Budget },
  event: Compression,
): Reaction {
  const { reason } = state.planning;
  if (event.failure !== undefined || event.lost.length > 0) return requestPlan(env, state, reason);
  const { budget } = state;
  const most = historyTokensMax(env, budget.caps) ?? event.tokens;
  const shrunk = { ...state, budget: setContext(budget, Math.min(event.tokens, most)) };
  return requestPlan(env, withCompressed(shrunk, event), reason);
}

/** Adds what a compression dropped, and its digest, to those of an earlier one. */
function withCompressed(state: RunState, event: Compression): RunState {
  const { demoted = [], digest: added = '' } = event;
  const before = state.planning.compressed;
  const digest = [before?.digest ?? '', added].filter((text) => text !== '').join('\n');
  const isExcerpts = event.excerpts === true && (before === undefined || before.excerpts === true);
  // The digest is as trusted as the least trusted text that its author has read.
  const isUntrusted = hasRule(state, 'memory_trust') && hasReadUntrusted(state);
  const compressed: Compressed = {
    ...{ demoted, digest },
    ...(isUntrusted ? { untrusted: true } : {}),
    ...(isExcerpts ? { excerpts: true } : {}),
  };
  return { ...state, planning: { ...state.planning, compressed } };
}

/** Escalates if no compressor is available. The attempt does not count and is repeated if the run continues. */
function escalateOutage(env: KernelEnv, state: RunState, { code, message }: Outage): Reaction {
  if (isHeld(state.session.status)) return [state, NO_EFFECTS];
  return escalateRun(env, state, 'provider_outage', {
    code: 'UNAVAILABLE_DEP',
    reason: code,
    detail: { dependency: 'compressor', message },
  });
}

type Outage = NonNullable<EventOf<'context_compressed'>['failure']>;

/** Charges the measured cost of a review. A cost above the reservation ends the run. */
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
