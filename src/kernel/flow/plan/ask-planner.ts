import type { Budget } from '../../../model/budget/budget.ts';
import type { Effect, PlanReason } from '../../../model/events/effect.ts';
import type { ToolCost } from '../../../model/tool/tool.ts';
import { reserve } from '../../budget/budget.ts';
import { isUnderContextPressure } from '../../budget/gauges.ts';
import type { KernelEnv } from '../../env.ts';
import { routeOf, tooManySteps } from '../../query/plan/reactive-route.ts';
import { impossibleEvent } from '../../state/impossible.ts';
import type { RunState } from '../../state/run-state.ts';
import { launch } from '../../transition/in-flight.ts';
import { NO_EFFECTS, type Reaction } from '../../transition/reaction.ts';
import { raise } from '../../transition/stop.ts';
import { isHeld } from '../../transition/suspend.ts';
import { walk } from '../../transition/walk.ts';
import { escalateOverBudget } from '../people/escalate.ts';
import { handleModelRequest } from '../people/model-request.ts';

/** Asks for a plan, if the context has space and the planner's cost can be reserved. */
export function requestPlan(env: KernelEnv, state: RunState, reason: PlanReason | null): Reaction {
  const asking = { ...state, planning: { ...state.planning, proposal: null, verdict: null, reason } };
  if (isHeld(state.session.status)) return [asking, NO_EFFECTS];
  const handled = handleModelRequest(env, asking);
  if (handled !== null) return handled;
  if (asking.budget === null) throw impossibleEvent('a plan before the run has a budget', state);
  if (isUnderContextPressure(asking.budget, env.limits.contextLimit))
    return relievePressure(env, asking, asking.budget);
  const reserved = reserve(asking.budget, plannerNeed(env), 'planner');
  if (!reserved.ok) return escalateOverBudget(env, asking, reserved);
  return launch({ ...asking, budget: reserved.budget }, 'plan', plannerAttempt(asking));
}

export function plannerAttempt(state: RunState): Effect {
  const { replans, reason, specialist } = state.planning;
  const effect = { kind: 'propose_plan', attempt: replans + 1, reason } as const;
  return specialist === 'planning' ? { ...effect, specialist: true } : effect;
}

/** Compresses the context once per run. If it is still too large afterwards, the run ends. */
function relievePressure(env: KernelEnv, state: RunState, budget: Budget): Reaction {
  if (state.counters.compressions > 0) {
    const detail = { dimension: 'context_tokens' };
    return [raise(state, { code: 'BUDGET_EXHAUSTED', reason: 'context_pressure', detail }), NO_EFFECTS];
  }
  // A compression is a model call and needs a reservation.
  const reserved = reserve(budget, reviewNeed(env), 'critic');
  if (!reserved.ok) return escalateOverBudget(env, state, reserved);
  return launch({ ...state, budget: reserved.budget }, 'compression', { kind: 'compress_context' });
}

interface ModelNeed {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microusd: number;
}

export const plannerNeed = ({ limits }: KernelEnv): ModelNeed => needFor(limits.plannerCost);

/** The maximum cost of a review: a reflection or a compression. */
export const reviewNeed = ({ limits }: KernelEnv): ModelNeed => needFor(limits.reviewerCost ?? limits.plannerCost);

const needFor = ({ input_tokens, output_tokens, microusd }: ToolCost): ModelNeed => ({
  input_tokens,
  output_tokens,
  cost_microusd: microusd,
});

/** Returns control to the orchestrator for the next step, unless the step limit is reached. */
export function askNext(env: KernelEnv, state: RunState, reason: PlanReason | null): Reaction {
  if (routeOf(env, state).to === 'error') return [raise(state, tooManySteps(env, state)), NO_EFFECTS];
  return requestPlan(env, walk(env, state, 'plan'), reason);
}
