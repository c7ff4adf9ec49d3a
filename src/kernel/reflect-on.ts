import type { PlanReason } from '../model/effect.ts';
import type { EscalationTrigger } from '../model/escalation.ts';
import type { ReflectionTrigger } from '../model/reflection.ts';
import { askPlanner } from './ask-planner.ts';
import { charge } from './budget.ts';
import { pressure, setContext } from './budget-gauge.ts';
import { remaining } from './budget-view.ts';
import { raise } from './closing.ts';
import { haltAfterCompression } from './compress.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { land, launch } from './flight.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { mayReflect } from './reflect.ts';
import { replan } from './replan.ts';
import type { RunState } from './state.ts';

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
  const used = state.counters.reflections[trigger] ?? 0;
  const ruling = mayReflect(trigger, used, remaining(state.budget).reflection_passes);
  const charged = ruling.allow ? charge(state.budget, { reflection_passes: 1 }) : null;
  if (!ruling.allow || charged === null || !charged.ok) {
    const code = ruling.allow ? 'BUDGET_EXHAUSTED' : ruling.code;
    const detail = { ...reason.detail, step_id: reason.step_id, message: reason.message };
    return escalateRun(env, state, ESCALATES_AS[trigger], { code, reason: reason.code, detail });
  }
  const counted: RunState = {
    ...state,
    budget: charged.budget,
    planning: { ...state.planning, reason },
    counters: { ...state.counters, reflections: { ...state.counters.reflections, [trigger]: used + 1 } },
  };
  return launch(counted, 'reflection', { kind: 'reflect', trigger, reason });
}

/** What the reflection found goes to the Planner together with what went wrong. */
export const onReflectionMade: Reacts<'reflection_made'> = (env, state, event) => {
  const landed = land(state, 'reflection');
  const before = state.planning.reason;
  if (before === null) throw impossible('a reflection on nothing', state);
  const reason = { ...before, detail: { ...before.detail, reflection: event.note } };
  const code = event.trigger === 'conflict' ? 'SOURCE_CONFLICT' : 'LOW_CONFIDENCE';
  return replan(env, landed, { reason, trigger: ESCALATES_AS[event.trigger], code });
};

/** Compression may only leave out what can be spared. If it lost anything else, the run does not go on from it. */
export const onContextCompressed: Reacts<'context_compressed'> = (env, state, event) => {
  const landed = land(state, 'compression');
  if (landed.budget === null) throw impossible('a compression before the run has a budget', state);
  const counted: RunState = {
    ...landed,
    budget: setContext(landed.budget, event.tokens),
    counters: { ...landed.counters, compressions: landed.counters.compressions + 1 },
  };
  const over = pressure(counted.budget ?? landed.budget, env.limits.contextLimit);
  const halt = haltAfterCompression(event.lost, event.tokens, over);
  if (halt !== null) return [raise(counted, halt), NOTHING];
  return askPlanner(env, counted, counted.planning.reason);
};
