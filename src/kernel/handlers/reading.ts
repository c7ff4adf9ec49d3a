import type { ToolCost } from '../../model/tool/tool.ts';
import { settle } from '../budget/budget.ts';
import type { KernelEnv } from '../env.ts';
import { askIntent, continueWithIntent, readIntentEffect } from '../flow/people/ask-user.ts';
import { impossibleEvent } from '../state/impossible.ts';
import type { RunState } from '../state/run-state.ts';
import { land, launch } from '../transition/in-flight.ts';
import type { Reaction, Reacts } from '../transition/reaction.ts';
import { raise } from '../transition/stop.ts';

/** Asks a model to choose among the possible intents. Null without a classifier or a choice. */
export function askReader(env: KernelEnv, state: RunState): Reaction | null {
  if (env.limits.classifierCost === null || state.intake.readings.length < 2) return null;
  return launch(state, 'reading', readIntentEffect(state));
}

/** Applies the model's choice of intent, or asks the user if its confidence is too low. */
export const onIntentRead: Reacts<'intent_read'> = (env, state, event) => {
  const landed = land(state, 'reading');
  const { intent, task_class, confidence, spent } = event;
  const { readings } = state.intake;
  if (intent !== null && !readings.includes(intent))
    throw impossibleEvent('a reading that nobody put before the model', state);
  const paid: RunState = { ...landed, intake: { ...landed.intake, readingCost: spent } };
  if (intent === null || !(confidence >= env.limits.intentConfidence)) return askIntent(env, paid);
  // The risk stays that of the riskiest reading: a model cannot lower it.
  return continueWithIntent(env, { ...paid, intake: { ...paid.intake, intent, taskClass: task_class, confidence } });
};

/** Charges the cost of reading the request once the run has a budget. */
export function chargeReading(state: RunState, spent: ToolCost | undefined): RunState {
  if (spent === undefined || state.budget === null) return state;
  const { input_tokens, output_tokens, microusd: cost_microusd } = spent;
  const { budget, overrun } = settle(state.budget, {}, { input_tokens, output_tokens, cost_microusd }, 'planner');
  const charged = { ...state, budget };
  if (overrun === null) return charged;
  const detail = { dimension: overrun };
  return raise(charged, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail });
}
