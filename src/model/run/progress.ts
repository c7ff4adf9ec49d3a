import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { Name, Timestamp } from '../json/name.ts';

export interface BudgetRemaining {
  readonly tokens: number;
  readonly tool_calls: number;
  readonly cost_cents: number;
  readonly wall_clock_ms: number;
}
export const BudgetRemaining: z.ZodType<BudgetRemaining> = exactObject({
  tokens: z.int().nonnegative(),
  tool_calls: z.int().nonnegative(),
  cost_cents: z.number().nonnegative(),
  wall_clock_ms: z.int().nonnegative(),
});

/** The progress of a session, for external watchers. */
export interface ProgressEnvelope {
  readonly session_id: string;
  /** Unique and increasing within its session. */
  readonly progress_id: string;
  readonly emitted_at: Timestamp;
  readonly current_step: string | null;
  readonly completed_step_count: number;
  readonly total_step_count: number;
  readonly budget_remaining: BudgetRemaining;
  readonly awaiting_gate: string | null;
}
export const ProgressEnvelope: z.ZodType<ProgressEnvelope> = exactObject({
  session_id: Name,
  progress_id: Name,
  emitted_at: Timestamp,
  current_step: Name.nullable(),
  completed_step_count: z.int().nonnegative(),
  total_step_count: z.int().nonnegative(),
  budget_remaining: BudgetRemaining,
  awaiting_gate: Name.nullable(),
});
