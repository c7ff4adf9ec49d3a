import type { Goal, IntentSpec } from '../../model/plan/goal.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import type { TimeLimited } from '../time-limit.ts';
import type { ModelClient, ModelUse } from './language-model.ts';

export interface ClassifierRequest {
  readonly goal: Goal;
  /** The possible intents; always more than one. */
  readonly readings: readonly IntentSpec[];
}

/** The most likely intent of a goal. `intent` is one of the readings, or null if none fits. */
export interface Reading {
  readonly intent: string | null;
  /** From 0 to 1. Below the run's threshold, the run asks the user instead. */
  readonly confidence: number;
}

/** Chooses one of the given readings; it cannot add any. Used only if the caller named no intent of the agent. */
export interface Classifier extends TimeLimited {
  /** The maximum model cost of one question. */
  readonly cost: ToolCost;
  /** The models it asks. They are checked when the agent is assembled, and runs are pinned to them. */
  readonly uses?: readonly ModelUse[];
  classify(request: ClassifierRequest, client: ModelClient): Promise<Reading>;
}
