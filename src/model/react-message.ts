import type { Json } from './json.ts';
import type { PlanStep } from './plan.ts';
import type { ToolOutcome } from './tool.ts';

/** One entry of the history of a run that decides step by step: what was decided, or what came of it. */
export type ReactMessage = ReactDecision | ReactObservation;

/** The step that was chosen, as it was verified. */
export interface ReactDecision {
  readonly kind: 'decision';
  readonly step: PlanStep;
}

/** What the step came to: the confirmed value, or, where it failed, how and why. */
export interface ReactObservation {
  readonly kind: 'observation';
  readonly step_id: string;
  readonly tool: string;
  readonly outcome: ToolOutcome;
  /** Null where the step failed. */
  readonly value: Json;
  /** Empty where it did not. */
  readonly detail: string;
  readonly trusted: boolean;
}
