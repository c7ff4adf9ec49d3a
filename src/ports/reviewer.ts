import type { PlanReason } from '../model/effect.ts';
import type { ReflectionTrigger } from '../model/reflection.ts';
import type { ToolCost } from '../model/tool.ts';

export interface Reflection {
  readonly note: string;
  readonly spent: ToolCost;
}

export interface Compression {
  /** Required parts that the compressed context no longer holds. Anything here ends the run. */
  readonly lost: readonly string[];
  readonly tokens: number;
}

/** Looks back: at what went wrong, or at a context that has grown too large. It can reach no tool. */
export interface Reviewer {
  reflect(trigger: ReflectionTrigger, reason: PlanReason, signal: AbortSignal): Promise<Reflection>;
  compress(tokens: number, signal: AbortSignal): Promise<Compression>;
}
