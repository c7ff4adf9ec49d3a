import { z } from 'zod';
import { Name, Text } from './name.ts';

/** One statement of the final answer and the observation it stands on. */
export interface Claim {
  readonly statement: string;
  readonly observation: string;
}
export const Claim: z.ZodType<Claim> = z.strictObject({ statement: Text, observation: Name });
