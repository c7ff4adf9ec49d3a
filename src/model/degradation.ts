import { z } from 'zod';
import { Name } from './name.ts';
import { STAND_INS, type StandIn } from './tool.ts';

/** An earlier answer that is given in the place of a tool that is not there: where it comes from, and how old it is. */
export interface CachedAnswer {
  readonly run_id: string;
  readonly call_id: string;
  readonly age_ms: number;
  /** Whether it could be trusted when it was given: the tool, and everything it had been made of. */
  readonly trusted: boolean;
}
export const CachedAnswer: z.ZodType<CachedAnswer> = z.strictObject({
  run_id: Name,
  call_id: Name,
  age_ms: z.int().nonnegative(),
  trusted: z.boolean(),
});

/** A step whose tool was not there, and what stood in for it. */
export interface Degradation {
  readonly step_id: string;
  /** The tool that the plan names. */
  readonly tool: string;
  readonly by: StandIn;
  /** Whose answer it is. */
  readonly source: string;
  /** How old it was, where it had been kept. */
  readonly age_ms?: number;
}
export const Degradation: z.ZodType<Degradation> = z.strictObject({
  step_id: Name,
  tool: Name,
  by: z.enum(STAND_INS),
  source: Name,
  age_ms: z.int().nonnegative().exactOptional(),
});
