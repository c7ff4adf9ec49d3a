import { z } from 'zod';
import { exact, exactObject, JsonRecord, JsonValue } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { Pointer } from '../json/pointer.ts';
import { Problem } from '../json/problem.ts';
import { ToolOutcome } from './tool.ts';

/**
 * The grounding ladder. An action climbs one rung at a time, and only `verified` leads to `committed`. There is no rung
 * for assumptions, so they cannot be recorded.
 */
export const RUNGS = ['intended', 'attempted', 'observed', 'verified', 'committed'] as const;
export type Rung = (typeof RUNGS)[number];

/** A call that is planned. Nothing has happened yet. */
export interface Intended {
  readonly rung: 'intended';
  readonly step_id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly args_hash: Address;
  readonly intended_at: Instant;
}
export const Intended: z.ZodType<Intended> = exactObject({
  rung: z.literal('intended'),
  step_id: Name,
  tool: Name,
  args: JsonRecord,
  args_hash: ContentAddress,
  intended_at: Instant,
});

/** Timeout of a call, and the maximum number of retries. */
export interface TimeoutPolicy {
  readonly timeout_ms: number;
  readonly retries_max: number;
}
export const TimeoutPolicy: z.ZodType<TimeoutPolicy> = exactObject({
  timeout_ms: z.int().positive(),
  retries_max: z.int().nonnegative(),
});

/** A call about to be sent, durable before it is sent. The call is in doubt until it is observed. */
export interface Attempted {
  readonly rung: 'attempted';
  readonly step_id: string;
  /** The request id: one per attempt, so that a late answer is matched to its own call. */
  readonly call_id: string;
  readonly tool: string;
  readonly args_hash: Address;
  readonly idempotency_key: string;
  readonly attempt: number;
  readonly timeout_policy: TimeoutPolicy;
  readonly attempted_at: Instant;
  /** The call must not be dispatched after this instant. */
  readonly dispatch_before: Instant;
}
export const Attempted: z.ZodType<Attempted> = exactObject({
  rung: z.literal('attempted'),
  step_id: Name,
  call_id: Name,
  tool: Name,
  args_hash: ContentAddress,
  idempotency_key: Name,
  attempt: z.int().positive(),
  timeout_policy: TimeoutPolicy,
  attempted_at: Instant,
  dispatch_before: Instant,
});

/** The unaltered answer of a call. A failure, a timeout and an empty payload are observations too. */
export interface Observed {
  readonly rung: 'observed';
  readonly call_id: string;
  readonly outcome: ToolOutcome;
  /** Address of the payload as the tool returned it. */
  readonly raw: Address;
  readonly detail?: string;
  readonly source: string;
  readonly trusted: boolean;
  readonly observed_at: Instant;
}
export const Observed: z.ZodType<Observed> = exactObject({
  rung: z.literal('observed'),
  call_id: Name,
  outcome: ToolOutcome,
  raw: ContentAddress,
  detail: Text.exactOptional(),
  source: Name,
  trusted: z.boolean(),
  observed_at: Instant,
});

/** The confirmed parts of the payload: JSON Pointers into it, or all of it. */
export type Confirmed = 'all' | readonly string[];
export const Confirmed: z.ZodType<Confirmed> = exact(z.union([z.literal('all'), z.array(Pointer)]));

/** An observation that a validator confirmed, in the listed parts only. */
export interface Verified {
  readonly rung: 'verified';
  readonly call_id: string;
  readonly outcome: ToolOutcome;
  readonly raw: Address;
  readonly confirmed: Confirmed;
  readonly validator_id: string;
  readonly source: string;
  readonly trusted: boolean;
  readonly verified_at: Instant;
}
export const Verified: z.ZodType<Verified> = exactObject({
  rung: z.literal('verified'),
  call_id: Name,
  outcome: ToolOutcome,
  raw: ContentAddress,
  confirmed: Confirmed,
  validator_id: Name,
  source: Name,
  trusted: z.boolean(),
  verified_at: Instant,
});

/** A confirmed value in the task state. Answers, later steps and memory may use only committed values. */
export interface Committed {
  readonly rung: 'committed';
  readonly call_id: string;
  readonly outcome: ToolOutcome;
  /** Only the confirmed parts. */
  readonly value: Json;
  readonly evidence_id: string;
  readonly state_version: number;
  readonly validator_id: string;
  readonly source: string;
  readonly trusted: boolean;
  /** The transcript of this call. */
  readonly trace_pointer: Address;
  readonly committed_at: Instant;
}
export const Committed: z.ZodType<Committed> = exactObject({
  rung: z.literal('committed'),
  call_id: Name,
  outcome: ToolOutcome,
  value: JsonValue,
  evidence_id: Name,
  state_version: z.int().positive(),
  validator_id: Name,
  source: Name,
  trusted: z.boolean(),
  trace_pointer: ContentAddress,
  committed_at: Instant,
});

/**
 * The result of checking a complete answer that is stored outside the journal. It is recorded with the observation, so
 * that replay does not need the answer itself.
 */
export interface StoredAnswer {
  readonly validator: string;
  /** The confirmed parts of the value that replaces the answer in the journal. */
  readonly confirmed: Confirmed;
  /** The reasons why the answer cannot be used; empty if it can. */
  readonly problems: readonly Problem[];
}
export const StoredAnswer: z.ZodType<StoredAnswer> = exactObject({
  validator: Name,
  confirmed: Confirmed,
  problems: z.array(Problem),
});
