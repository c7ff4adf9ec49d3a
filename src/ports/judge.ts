import type { Goal } from '../model/goal.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { JudgeSpec } from '../model/judge.ts';
import type { PlanStep } from '../model/plan.ts';
import type { Timed } from './answer-time.ts';
import type { Asked, ModelDesk, ModelUse } from './language-model.ts';

/** What a judge is shown. Outputs of tools and of other models are data: they are judged, and never obeyed. */
export interface JudgeQuestion {
  readonly goal: Goal;
  /** What it is to score, and what each of them means. */
  readonly criteria: readonly { readonly id: string; readonly statement: string }[];
  readonly work: JudgedStep | JudgedRun;
  /** The stronger or stricter one is asked. */
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
  /** What was committed, in order. */
  readonly done: readonly {
    readonly step: string;
    readonly tool: string;
    readonly output: Json;
    readonly trusted: boolean;
  }[];
  /** What a model answered by itself, where it did. */
  readonly answer: string | null;
}

/** Somebody who reads work and says how good it is. It can reach no tool, and nothing it says permits anything. */
export interface Judge extends Timed {
  readonly spec: JudgeSpec;
  /** What it asks of models, for whoever pins that. */
  readonly uses?: readonly ModelUse[];
  ask(question: JudgeQuestion, signal: AbortSignal, desk: ModelDesk): Promise<Asked>;
}
