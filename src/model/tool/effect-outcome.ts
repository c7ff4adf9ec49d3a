import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { Name, Text } from '../json/name.ts';
import type { ToolCost } from './tool.ts';

/** The final state of an effect of an abandoned run. `unknown`: the answer of the compensation was lost. */
const EFFECT_ENDS = ['rolled_back', 'stands', 'unknown'] as const;
export type EffectEnd = (typeof EFFECT_ENDS)[number];

export interface EffectOutcome {
  /** The call that caused the effect. */
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  /** The tool that undoes the effect; null if there is none. */
  readonly compensation: string | null;
  /** The call that undid the effect or tried to. */
  readonly compensated_by: string | null;
  readonly outcome: EffectEnd;
  readonly reason: string;
}
export const EffectOutcome: z.ZodType<EffectOutcome> = exactObject({
  call_id: Name,
  step_id: Name,
  tool: Name,
  compensation: Name.nullable(),
  compensated_by: Name.nullable(),
  outcome: z.enum(EFFECT_ENDS),
  reason: Text,
});

/** Calls and cost spent on undoing effects. */
export interface RollbackSpent extends ToolCost {
  readonly calls: number;
}
export const RollbackSpent: z.ZodType<RollbackSpent> = exactObject({
  calls: z.int().nonnegative(),
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  microusd: z.int().nonnegative(),
});

/** The result of revoking credentials. `unsupported`: the credential store cannot revoke, so a person has to. */
export const REVOCATION_OUTCOMES = ['revoked', 'failed', 'unsupported'] as const;
export type RevocationOutcome = (typeof REVOCATION_OUTCOMES)[number];
export const RevocationOutcome: z.ZodType<RevocationOutcome> = z.enum(REVOCATION_OUTCOMES);
