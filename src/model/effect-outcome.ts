import { z } from 'zod';
import { Name, Text } from './name.ts';
import type { ToolCost } from './tool.ts';

/** What became of an effect of a run that was abandoned. `unknown`: nobody heard whether it was taken back. */
export const EFFECT_ENDS = ['rolled_back', 'stands', 'unknown'] as const;
export type EffectEnd = (typeof EFFECT_ENDS)[number];

export interface EffectOutcome {
  /** The call that had the effect. */
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  /** The tool that takes it back, where there is one. */
  readonly compensation: string | null;
  /** The call that took it back, or tried to. */
  readonly compensated_by: string | null;
  readonly outcome: EffectEnd;
  readonly reason: string;
}
export const EffectOutcome: z.ZodType<EffectOutcome> = z.strictObject({
  call_id: Name,
  step_id: Name,
  tool: Name,
  compensation: Name.nullable(),
  compensated_by: Name.nullable(),
  outcome: z.enum(EFFECT_ENDS),
  reason: Text,
});

/** What it took to take effects back: calls, and what they cost. */
export interface RollbackSpent extends ToolCost {
  readonly calls: number;
}
export const RollbackSpent: z.ZodType<RollbackSpent> = z.strictObject({
  calls: z.int().nonnegative(),
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  microusd: z.int().nonnegative(),
});
