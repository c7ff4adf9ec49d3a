import type { KernelEnv } from '../../../kernel/env.ts';
import type { RunState } from '../../../kernel/state.ts';
import { compareModes } from '../../../model/approval-mode.ts';
import type { EventBody } from '../../../model/event.ts';
import type { PlanAuthor } from '../../../model/events/plan-events.ts';
import type { Json } from '../../../model/json.ts';
import { NO_COST, type ToolSpec } from '../../../model/tool.ts';
import type { Prng } from '../prng.ts';
import { overspending, randomSpending } from './answers.ts';
import { leaveOpen } from './drafts.ts';
import { spoiltPlan } from './spoilt-plan.ts';
import { validPlan } from './valid-plan.ts';

export interface PlannerWorld {
  propose(state: RunState, at: number): { readonly at: number; readonly body: EventBody };
}

export interface PlannerSettings {
  readonly env: KernelEnv;
  readonly tools: readonly ToolSpec[];
  readonly lie: number;
  readonly timeoutMs: number;
}

/** A planner that lies with the given probability, and one that, once in a while, has only one idea. */
export function plannerWorld(prng: Prng, settings: PlannerSettings): PlannerWorld {
  const { env, tools, lie, timeoutMs } = settings;
  const stubborn = prng.chance(lie / 2);
  const hostWrites = env.graph.edge('plan', 'plan_validation') !== null && env.graph.spec.tier <= 3;
  let asked = 0;
  let idea: Json | null = null;

  const propose = (state: RunState): Json => {
    if (stubborn && idea !== null) return idea;
    const whole = validPlan(prng, { env, state, usable: usableTools(tools, state) }, asked);
    const plan = env.limits.drafterCost === null ? whole : leaveOpen(prng, whole);
    idea = (prng.chance(lie) ? spoiltPlan(prng, plan) : plan) as Json;
    return idea;
  };

  return {
    propose: (state, now) => {
      asked += 1;
      if (prng.chance(lie / 4)) return failure(prng, now, timeoutMs);
      const author: PlanAuthor = hostWrites === prng.chance(1 - lie / 10) ? 'host' : 'model';
      const spent = prng.chance(lie / 10)
        ? overspending(prng, env.limits.plannerCost)
        : randomSpending(prng, env.limits.plannerCost);
      const context_tokens = prng.int(0, Math.min(env.limits.contextLimit, 5_000));
      const body = { type: 'plan_proposed' as const, proposal: propose(state), author, spent, context_tokens };
      return { at: now + prng.int(1, timeoutMs), body };
    },
  };
}

function failure(prng: Prng, now: number, timeoutMs: number): { at: number; body: EventBody } {
  const code = prng.pick(['planner_failed', 'planner_timeout'] as const);
  return {
    at: now + (code === 'planner_timeout' ? timeoutMs : prng.int(1, timeoutMs)),
    body: { type: 'plan_failed', code, message: 'the simulated planner failed', spent: NO_COST },
  };
}

function usableTools(tools: readonly ToolSpec[], state: RunState): readonly ToolSpec[] {
  const token = state.intake.token;
  if (token === null) return [];
  const allowed = new Set(token.allowed_tools);
  return tools.filter(
    ({ name, active, approval_mode }) =>
      active && allowed.has(name) && compareModes(approval_mode, token.approval_authority) <= 0,
  );
}
