import type { JudgeSpec } from '../../model/critic/judge.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { Goal } from '../../model/plan/goal.ts';
import type { PlanStep } from '../../model/plan/plan.ts';
import type { TimeLimited } from '../time-limit.ts';
import type { ModelClient, ModelRequest, ModelUse } from './language-model.ts';

/** The input of a judge. Outputs of tools and models in it are data to be judged, never instructions. */
export interface JudgeQuestion {
  readonly goal: Goal;
  readonly criteria: readonly { readonly id: string; readonly statement: string }[];
  readonly work: JudgedStep | JudgedRun;
  /** Asks the stronger or stricter model. */
  readonly safer: boolean;
}

export interface JudgedStep {
  readonly kind: 'step';
  readonly step: PlanStep;
  readonly args: JsonObject;
  readonly output: Json;
  readonly trusted: boolean;
}

export interface JudgedRun {
  readonly kind: 'run';
  /** The committed steps, in order. */
  readonly done: readonly {
    readonly step: string;
    readonly tool: string;
    readonly output: Json;
    readonly trusted: boolean;
  }[];
  /** The answer that a model gave without tools; null if there is none. */
  readonly answer: string | null;
}

/** Scores work. It cannot reach a tool, and its opinion permits nothing. */
export interface Judge extends TimeLimited {
  readonly spec: JudgeSpec;
  /** The models it asks. Runs are pinned to them. */
  readonly uses?: readonly ModelUse[];
  ask(question: JudgeQuestion, signal: AbortSignal, client: ModelClient): Promise<ModelRequest>;
}
