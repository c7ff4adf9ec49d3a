import { z } from 'zod';
import { Pointer } from '../pointer.ts';
import { Operation, Permitted } from './operation.ts';

/** Which calls only diagnose, and what an operator must be told of every other one. */
export interface InfrastructureRules {
  readonly operation: Operation;
  readonly target: Permitted;
  /** Arguments that say how far it reaches and how it is taken back, where `hazards` of the tool do not. */
  readonly blast_radius?: string;
  readonly rollback?: string;
}
export const InfrastructureRules: z.ZodType<InfrastructureRules> = z.strictObject({
  operation: Operation,
  target: Permitted,
  blast_radius: Pointer.exactOptional(),
  rollback: Pointer.exactOptional(),
});
