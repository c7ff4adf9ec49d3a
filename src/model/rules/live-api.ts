import { z } from 'zod';
import { Operation } from './operation.ts';

/** Which endpoints only read. Every other one changes something, and a person sees the call first. */
export interface LiveApiRules {
  readonly operation: Operation;
}
export const LiveApiRules: z.ZodType<LiveApiRules> = z.strictObject({ operation: Operation });
