import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import type { Address } from './hash.ts';
import type { Json, JsonObject } from './json.ts';
import { JsonRecord, JsonValue } from './json-schema.ts';
import { Instant, Name, Text } from './name.ts';
import { Pointer } from './pointer.ts';
import { ToolOutcome } from './tool.ts';

/**
 * The grounding ladder. An action climbs one rung at a time, and only the fourth leads to the fifth.
 * There is no rung for what was merely assumed: it cannot be written down.
 */
export const RUNGS = ['intended', 'attempted', 'observed', 'verified', 'committed'] as const;
export type Rung = (typeof RUNGS)[number];

/** Somebody wants to do this. Nothing has happened. */
export interface Intended {
  readonly rung: 'intended';
  readonly step_id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly args_hash: Address;
  readonly intended_at: Instant;
}
export const Intended: z.ZodType<Intended> = z.strictObject({
  rung: z.literal('intended'),
  step_id: Name,
  tool: Name,
  args: JsonRecord,
  args_hash: ContentAddress,
  intended_at: Instant,
});

/** How long an answer is waited for, and how often the call may be made again. */
export interface TimeoutPolicy {
  readonly timeout_ms: number;
  readonly retries_max: number;
}
export const TimeoutPolicy: z.ZodType<TimeoutPolicy> = z.strictObject({
  timeout_ms: z.int().positive(),
  retries_max: z.int().nonnegative(),
});

/** Durable before the call leaves. From here until it is observed, the call is in doubt. */
export interface Attempted {
  readonly rung: 'attempted';
  readonly step_id: string;
  /** The request id: one per attempt, so that a late answer finds its own call. */
  readonly call_id: string;
  readonly tool: string;
  readonly args_hash: Address;
  readonly idempotency_key: string;
  readonly attempt: number;
  readonly timeout_policy: TimeoutPolicy;
  readonly attempted_at: Instant;
  /** Whoever has not dispatched by then never may. */
  readonly dispatch_before: Instant;
}
export const Attempted: z.ZodType<Attempted> = z.strictObject({
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

/** What came back, unaltered. A failure, a timeout and an empty payload are observations too. */
export interface Observed {
  readonly rung: 'observed';
  readonly call_id: string;
  readonly outcome: ToolOutcome;
  /** Where the payload is kept as the tool returned it. */
  readonly raw: Address;
  readonly detail?: string;
  readonly source: string;
  readonly trusted: boolean;
  readonly observed_at: Instant;
}
export const Observed: z.ZodType<Observed> = z.strictObject({
  rung: z.literal('observed'),
  call_id: Name,
  outcome: ToolOutcome,
  raw: ContentAddress,
  detail: Text.exactOptional(),
  source: Name,
  trusted: z.boolean(),
  observed_at: Instant,
});

/** Which part of the payload the validator stands for: JSON Pointers into it, or all of it. */
export type Confirmed = 'all' | readonly string[];
export const Confirmed: z.ZodType<Confirmed> = z.union([z.literal('all'), z.array(Pointer)]);

/** A validator confirmed that the observation is what it looks like, in the named parts and no others. */
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
export const Verified: z.ZodType<Verified> = z.strictObject({
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

/** Part of the task state. Answers, later steps and memory may rest on this and on nothing else. */
export interface Committed {
  readonly rung: 'committed';
  readonly call_id: string;
  readonly outcome: ToolOutcome;
  /** Only what was confirmed. */
  readonly value: Json;
  readonly evidence_id: string;
  readonly state_version: number;
  readonly validator_id: string;
  readonly source: string;
  readonly trusted: boolean;
  /** The transcript in which all of this can be looked up. */
  readonly trace_pointer: Address;
  readonly committed_at: Instant;
}
export const Committed: z.ZodType<Committed> = z.strictObject({
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
