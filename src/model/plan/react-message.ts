import type { Json } from '../json/json.ts';
import type { ToolOutcome } from '../tool/tool.ts';
import type { PlanStep } from './plan.ts';

/** One entry in the history of a step-by-step run: a decision or its observation. */
export type ReactMessage = ReactDecision | ReactObservation;

/** The chosen step, after verification. */
export interface ReactDecision {
  readonly kind: 'decision';
  readonly step: PlanStep;
  /** The text that the model wrote beside the step. */
  readonly draft?: string;
}

/** The result of a step: the confirmed value, or the kind and cause of the failure. */
export interface ReactObservation {
  readonly kind: 'observation';
  readonly step_id: string;
  readonly tool: string;
  readonly outcome: ToolOutcome;
  /** Null if the step failed. */
  readonly value: Json;
  /** Empty if the step succeeded. */
  readonly detail: string;
  readonly trusted: boolean;
}
