import type { ActiveContext, KeptClass } from '../model/compression.ts';
import type { PlanReason } from '../model/effect.ts';
import type { Goal } from '../model/goal.ts';
import type { Plan } from '../model/plan.ts';
import type { ReflectionTrigger } from '../model/reflection.ts';
import type { ToolCost } from '../model/tool.ts';
import type { Timed } from './answer-time.ts';
import type { JudgedRun } from './judge.ts';
import type { ModelDesk, ModelUse } from './language-model.ts';

/** What is looked back at: why, and as much of the work as shows it. */
export interface ReflectionRequest {
  readonly trigger: ReflectionTrigger;
  readonly reason: PlanReason;
  readonly goal: Goal;
  readonly plan: Plan | null;
  readonly done: JudgedRun['done'];
}

export interface Reflection {
  readonly note: string;
  /** What it took beyond the models asked at the desk, which are charged as measured there. */
  readonly spent: ToolCost;
}

/** A context that has grown too large, sorted into what has to stay and what may go. */
export interface CompressionRequest {
  readonly context: ActiveContext;
  /** The wording of what may go, by pointer. */
  readonly texts: ReadonlyMap<string, string>;
  readonly tokens: number;
}

/** What is to be shown from here on. It is held against what the run really has: nothing is believed. */
export interface Compression {
  /** Of each class, the names of what is kept. Anything left out ends the run. */
  readonly kept: Readonly<Record<KeptClass, readonly string[]>>;
  /** Pointers of what is no longer shown. */
  readonly dropped: readonly string[];
  /** What remains to be said of it; empty where nothing does. */
  readonly digest: string;
}

/** Looks back: at what went wrong, or at a context that has grown too large. It can reach no tool. */
export interface Reviewer extends Timed {
  /** The models it asks, as a planner names its own. */
  readonly uses?: readonly ModelUse[];
  /** The most that one question may take of models; what a plan may take, where nothing is said. */
  readonly cost?: ToolCost;
  reflect(request: ReflectionRequest, signal: AbortSignal, desk: ModelDesk): Promise<Reflection>;
  compress(request: CompressionRequest, signal: AbortSignal, desk: ModelDesk): Promise<Compression>;
}
