import type { Goal } from '../model/goal.ts';
import type { IntentSpec } from '../model/intent.ts';
import type { ToolCost } from '../model/tool.ts';
import type { Timed } from './answer-time.ts';
import type { ModelDesk, ModelUse } from './language-model.ts';

export interface ClassifierRequest {
  readonly goal: Goal;
  /** The readings that are possible; there is always more than one. */
  readonly readings: readonly IntentSpec[];
}

/** What a goal is most likely about. `intent` is one of the readings, or null where none fits. */
export interface Reading {
  readonly intent: string | null;
  /** 0 to 1. Below the run's threshold the user is asked, whatever was read. */
  readonly confidence: number;
}

/** Asked only where the caller named no intent that the agent has. It chooses among readings, and adds none. */
export interface Classifier extends Timed {
  /** The most that one question to it may take of models. */
  readonly cost: ToolCost;
  /** The models it asks. They are checked when the agent is put together, and a run is pinned to them. */
  readonly uses?: readonly ModelUse[];
  classify(request: ClassifierRequest, desk: ModelDesk): Promise<Reading>;
}
