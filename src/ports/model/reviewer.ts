import type { PlanReason } from '../../model/events/effect.ts';
import type { ActiveContext, KeptClass } from '../../model/evidence/compression.ts';
import type { Goal } from '../../model/plan/goal.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { ReflectionTrigger } from '../../model/plan/proposal.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import type { TimeLimited } from '../time-limit.ts';
import type { JudgedRun } from './judge.ts';
import type { ModelClient, ModelUse } from './language-model.ts';

/** The trigger of a reflection, and the work it covers. */
export interface ReflectionRequest {
  readonly trigger: ReflectionTrigger;
  readonly reason: PlanReason;
  readonly goal: Goal;
  readonly plan: Plan | null;
  readonly done: JudgedRun['done'];
}

export interface Reflection {
  readonly note: string;
  /** The cost apart from the model client's requests, which the client charges itself. */
  readonly spent: ToolCost;
}

/** A context that has grown too large, split into what must stay and what may be dropped. */
export interface CompressionRequest {
  readonly context: ActiveContext;
  /** The texts that may be dropped, by pointer. */
  readonly texts: ReadonlyMap<string, string>;
  readonly tokens: number;
}

/** The proposed smaller context. It is checked against the actual run. */
export interface Compression {
  /** The names of the kept items, by class. A missing item ends the run. */
  readonly kept: Readonly<Record<KeptClass, readonly string[]>>;
  /** Pointers of the texts that are no longer shown. */
  readonly dropped: readonly string[];
  /** A summary of the dropped texts; may be empty. */
  readonly digest: string;
}

/** Reflects on a failure, or compresses a context that has grown too large. It cannot reach a tool. */
export interface Reviewer extends TimeLimited {
  /** The models it asks, as in `Planner.uses`. */
  readonly uses?: readonly ModelUse[];
  /** The maximum model cost of one question. Default: the maximum cost of a plan. */
  readonly cost?: ToolCost;
  reflect(request: ReflectionRequest, signal: AbortSignal, client: ModelClient): Promise<Reflection>;
  compress(request: CompressionRequest, signal: AbortSignal, client: ModelClient): Promise<Compression>;
}
