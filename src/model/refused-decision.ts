import { z } from 'zod';
import { GATE_DECISIONS, type GateDecisionKind } from './gate.ts';
import { RUN_DECISIONS, type RunDecisionKind } from './run-statement.ts';

/** Whatever a person can say with authority, at a gate or about a run. Each can be refused, and that is on record. */
export type RefusedDecision = GateDecisionKind | 'provide_info' | RunDecisionKind;
export const RefusedDecision: z.ZodType<RefusedDecision> = z.enum([
  ...GATE_DECISIONS,
  'provide_info',
  ...RUN_DECISIONS,
]);
