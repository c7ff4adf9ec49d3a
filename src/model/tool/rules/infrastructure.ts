import type { z } from 'zod';
import { exactObject } from '../../json/exact.ts';
import { Pointer } from '../../json/pointer.ts';
import { Operation, Permitted } from './operation.ts';

/** The calls that only diagnose, and the information an operator needs about every other call. */
export interface InfrastructureRules {
  readonly operation: Operation;
  readonly target: Permitted;
  /** Arguments that state blast radius and rollback, for a tool whose `hazards` do not. */
  readonly blast_radius?: string;
  readonly rollback?: string;
}
export const InfrastructureRules: z.ZodType<InfrastructureRules> = exactObject({
  operation: Operation,
  target: Permitted,
  blast_radius: Pointer.exactOptional(),
  rollback: Pointer.exactOptional(),
});
