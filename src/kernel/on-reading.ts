import type { Effect } from '../model/effect.ts';
import type { ToolCost } from '../model/tool.ts';
import { settle } from './budget.ts';
import { raise } from './closing.ts';
import type { KernelEnv } from './env.ts';
import { land, launch } from './flight.ts';
import { classifiedAs, unclear } from './intent-known.ts';
import { impossible, type Reaction, type Reacts } from './reaction.ts';
import type { RunState } from './state.ts';

/** Has a model say which of several readings is meant. Null where there is none to ask, or nothing to choose from. */
export function askReader(env: KernelEnv, state: RunState): Reaction | null {
  if (env.limits.classifierCost === null || state.intake.readings.length < 2) return null;
  return launch(state, 'reading', readAgain(state));
}

export const readAgain = ({ intake }: RunState): Effect => ({ kind: 'read_intent', candidates: intake.readings });

/** A model has read the request. It chooses among the readings there are; what it is not sure of the user is asked. */
export const onIntentRead: Reacts<'intent_read'> = (env, state, event) => {
  const landed = land(state, 'reading');
  const { intent, task_class, confidence, spent } = event;
  const { readings } = state.intake;
  if (intent !== null && !readings.includes(intent))
    throw impossible('a reading that nobody put before the model', state);
  const paid: RunState = { ...landed, intake: { ...landed.intake, readingCost: spent } };
  if (intent === null || !(confidence >= env.limits.intentConfidence)) return unclear(env, paid);
  // The risk stays that of the worst reading: a model cannot make a request harmless by what it makes of it.
  return classifiedAs(env, { ...paid, intake: { ...paid.intake, intent, taskClass: task_class, confidence } });
};

/** What reading the request has taken, charged as soon as there is a budget to charge it to. */
export function chargeReading(state: RunState, spent: ToolCost | undefined): RunState {
  if (spent === undefined || state.budget === null) return state;
  const { input_tokens, output_tokens, microusd: cost_microusd } = spent;
  const { budget, overrun } = settle(state.budget, {}, { input_tokens, output_tokens, cost_microusd }, 'planner');
  const charged = { ...state, budget };
  if (overrun === null) return charged;
  const detail = { dimension: overrun };
  return raise(charged, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail });
}
