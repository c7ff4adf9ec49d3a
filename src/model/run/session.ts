import { z } from 'zod';
import { CheckpointVerdict } from '../events/checkpoint.ts';
import { PackRef, type Pins } from '../evidence/context.ts';
import { TerminalCode } from '../fault/terminal-code.ts';
import { exact, exactObject } from '../json/exact.ts';
import { Name, Timestamp } from '../json/name.ts';
import { PauseCause, SessionStatus } from './session-status.ts';

/** Renewed by every verdict. `ttl_ms` is the hard end of the session, counted from its start. */
export interface Heartbeat {
  readonly interval_ms: number;
  readonly ttl_ms: number;
  readonly last_seen: Timestamp;
}
export const Heartbeat: z.ZodType<Heartbeat> = exactObject({
  interval_ms: z.int().positive(),
  ttl_ms: z.int().positive(),
  last_seen: Timestamp,
});

/** One entry in a session's list of checkpoints. Null if a plan was judged, or if the run ended without a verdict. */
export interface CheckpointEntry {
  readonly checkpoint_id: string;
  readonly after_step: string | null;
  readonly critic_verdict: CheckpointVerdict | null;
  readonly saved_at: Timestamp;
}
export const CheckpointEntry: z.ZodType<CheckpointEntry> = exactObject({
  checkpoint_id: Name,
  after_step: Name.nullable(),
  critic_verdict: CheckpointVerdict.nullable(),
  saved_at: Timestamp,
});

/** The reason of a pause, and who may resume the session. */
export interface SessionPause {
  readonly cause: PauseCause;
  readonly by: string;
  readonly authority: string;
}
export const SessionPause: z.ZodType<SessionPause> = exactObject({
  cause: PauseCause,
  by: Name,
  authority: Name,
});

/** A run that outlives its process. Its row is durable before anything else happens. */
export interface Session extends Pins {
  readonly session_id: string;
  readonly tenant_id: string;
  readonly intent: string;
  readonly started_at: Timestamp;
  readonly heartbeat: Heartbeat;
  readonly status: SessionStatus;
  /** Oldest first. */
  readonly checkpoints: readonly CheckpointEntry[];
  readonly next_step: string | null;
  readonly owner_actor: string;
  readonly pause?: SessionPause;
  readonly awaiting_gate?: string;
  readonly terminal_code?: TerminalCode;
}
export const Session: z.ZodType<Session> = exact(
  z
    .strictObject({
      session_id: Name,
      tenant_id: Name,
      pack_pin: PackRef,
      snapshot_pin: Name,
      intent: Name,
      started_at: Timestamp,
      heartbeat: Heartbeat,
      status: SessionStatus,
      checkpoints: z.array(CheckpointEntry),
      next_step: Name.nullable(),
      owner_actor: Name,
      pause: SessionPause.exactOptional(),
      awaiting_gate: Name.exactOptional(),
      terminal_code: TerminalCode.exactOptional(),
    })
    .refine(({ status, pause }) => (status === 'paused') === (pause !== undefined), {
      message: 'a paused session, and no other, says why',
      path: ['pause'],
    }),
);

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
