import type { z } from 'zod';
import { exactObject } from '../../json/exact.ts';
import { Operation } from './operation.ts';

/** The endpoints that only read. A call to any other endpoint needs approval. */
export interface LiveApiRules {
  readonly operation: Operation;
}
export const LiveApiRules: z.ZodType<LiveApiRules> = exactObject({ operation: Operation });
