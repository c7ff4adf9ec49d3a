import type { Budget } from '../model/budget.ts';
import type { Effect, PlanReason } from '../model/effect.ts';
import type { ToolCost } from '../model/tool.ts';
import { reserve } from './budget.ts';
import { pressure } from './budget-gauge.ts';
import { raise } from './closing.ts';
import type { KernelEnv } from './env.ts';
import { overBudget } from './escalate-run.ts';
import { launch } from './flight.ts';
import { heedModel } from './heed-model.ts';
import { impossible, NOTHING, type Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { isHeld } from './suspend.ts';

/** Asks for a plan, once the context has room and the planner's own cost is reserved. */
export function askPlanner(env: KernelEnv, state: RunState, reason: PlanReason | null): Reaction {
  const asking = { ...state, planning: { ...state.planning, proposal: null, verdict: null, reason } };
  if (isHeld(state.session.status)) return [asking, NOTHING];
  const heeded = heedModel(env, asking);
  if (heeded !== null) return heeded;
  if (asking.budget === null) throw impossible('a plan before the run has a budget', state);
  if (pressure(asking.budget, env.limits.contextLimit)) return relievePressure(env, asking, asking.budget);
  const reserved = reserve(asking.budget, plannerNeed(env), 'planner');
  if (!reserved.ok) return overBudget(env, asking, reserved);
  return launch({ ...asking, budget: reserved.budget }, 'plan', plannerAttempt(asking));
}

export function plannerAttempt(state: RunState): Effect {
  const { replans, reason, specialist } = state.planning;
  const asked = { kind: 'propose_plan', attempt: replans + 1, reason } as const;
  return specialist === 'planning' ? { ...asked, specialist: true } : asked;
}

/** One pass of compression in a run; if that was not enough the run ends rather than think in a crowded room. */
function relievePressure(env: KernelEnv, state: RunState, budget: Budget): Reaction {
  if (state.counters.compressions > 0) {
    const detail = { dimension: 'context_tokens' };
    return [raise(state, { code: 'BUDGET_EXHAUSTED', reason: 'context_pressure', detail }), NOTHING];
  }
  // A compression is a call of a model like any other.
  const reserved = reserve(budget, reviewNeed(env), 'critic');
  if (!reserved.ok) return overBudget(env, state, reserved);
  return launch({ ...state, budget: reserved.budget }, 'compression', { kind: 'compress_context' });
}

interface ModelNeed {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microusd: number;
}

export const plannerNeed = ({ limits }: KernelEnv): ModelNeed => needFor(limits.plannerCost);

/** What a look back may take: at what went wrong, or at what a crowded context can spare. */
export const reviewNeed = ({ limits }: KernelEnv): ModelNeed => needFor(limits.reviewerCost ?? limits.plannerCost);

const needFor = ({ input_tokens, output_tokens, microusd }: ToolCost): ModelNeed => ({
  input_tokens,
  output_tokens,
  cost_microusd: microusd,
});
