import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { Name } from '../json/name.ts';
import { STAND_INS, type StandIn } from './tool.ts';

/** An earlier answer that replaces the answer of an unavailable tool, with its source and age. */
export interface CachedAnswer {
  readonly run_id: string;
  readonly call_id: string;
  readonly age_ms: number;
  /** True if the tool and all inputs of the answer were trusted when it was recorded. */
  readonly trusted: boolean;
}
export const CachedAnswer: z.ZodType<CachedAnswer> = exactObject({
  run_id: Name,
  call_id: Name,
  age_ms: z.int().nonnegative(),
  trusted: z.boolean(),
});

/** A step whose tool was unavailable, and the stand-in that answered. */
export interface Degradation {
  readonly step_id: string;
  /** The tool named in the plan. */
  readonly tool: string;
  readonly by: StandIn;
  /** The tool that gave the answer. */
  readonly source: string;
  /** Age of a cached answer. */
  readonly age_ms?: number;
}
export const Degradation: z.ZodType<Degradation> = exactObject({
  step_id: Name,
  tool: Name,
  by: z.enum(STAND_INS),
  source: Name,
  age_ms: z.int().nonnegative().exactOptional(),
});
