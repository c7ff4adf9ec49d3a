import { z } from 'zod';
import type { Json } from './json.ts';
import { JsonValue } from './json-schema.ts';
import { Name } from './name.ts';
import { TerminalCode } from './terminal-code.ts';

export const LANE_STATUSES = ['completed', 'failed', 'expired', 'rejected', 'cancelled'] as const;
export type LaneStatus = (typeof LANE_STATUSES)[number];
export const LaneStatus: z.ZodType<LaneStatus> = z.enum(LANE_STATUSES);

/** What a lane would like its parent to take over. It becomes an effect only if the parent's Critic accepts it. */
export interface LaneResult {
  readonly key: string;
  readonly type: string;
  readonly value: Json;
  readonly evidence_refs: readonly string[];
  readonly trusted: boolean;
}
export const LaneResult: z.ZodType<LaneResult> = z.strictObject({
  key: Name,
  type: Name,
  value: JsonValue,
  evidence_refs: z.array(Name),
  trusted: z.boolean(),
});

/** The only thing a parent ever learns from a lane. */
export interface LaneEnvelope {
  readonly lane_id: string;
  readonly run_id: string;
  readonly parent_run_id: string;
  readonly span_id: string;
  readonly status: LaneStatus;
  readonly terminal_code: TerminalCode;
  readonly results: readonly LaneResult[];
  readonly transcripts: readonly string[];
  /** Already charged to the parent; repeated here for its record. */
  readonly budget_used: Readonly<Record<string, number>>;
  readonly loop_guard_trips: number;
}
export const LaneEnvelope: z.ZodType<LaneEnvelope> = z.strictObject({
  lane_id: Name,
  run_id: Name,
  parent_run_id: Name,
  span_id: Name,
  status: LaneStatus,
  terminal_code: TerminalCode,
  results: z.array(LaneResult),
  transcripts: z.array(Name),
  budget_used: z.record(Name, z.number().nonnegative()),
  loop_guard_trips: z.int().nonnegative(),
});
