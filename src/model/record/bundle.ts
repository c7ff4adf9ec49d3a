import { z } from 'zod';
import { JudgeSpec } from '../critic/judge.ts';
import { Rubric } from '../critic/rubric.ts';
import { GatePolicy } from '../gate/gate.ts';
import { SigningKey } from '../gate/signing-key.ts';
import { exactObject, JsonRecord } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { JsonObject } from '../json/json.ts';
import { Instant, Name } from '../json/name.ts';

/**
 * The settings that determine a run's decisions, apart from tools, decisions and policies. Limits and graph are
 * validated where they are used, because later versions may add fields with defaults.
 */
export interface RecordedPins {
  readonly graph: JsonObject;
  readonly rubric: Rubric;
  readonly judges: readonly JudgeSpec[];
  readonly gates: Readonly<Record<string, Partial<GatePolicy>>>;
  readonly limits: JsonObject;
  readonly specialist: boolean;
  /** The content of `context_hash` in policy decisions; if absent, the full request. */
  readonly policy_context?: 'looked_at';
}
export const RecordedPins: z.ZodType<RecordedPins> = exactObject({
  graph: JsonRecord,
  rubric: Rubric,
  judges: z.array(JudgeSpec),
  gates: z.record(Name, GatePolicy),
  limits: JsonRecord,
  specialist: z.boolean(),
  policy_context: z.literal('looked_at').exactOptional(),
});

/** Bundle versions: 1 for a single run, 2 for a run with lanes. Other releases may use other numbers. */
export const BUNDLE_VERSION = 1;
export const LANES_BUNDLE_VERSION = 2;

/** The header fields of one run in a bundle. */
export interface BundledRun {
  readonly run_id: string;
  readonly tenant_id: string;
  readonly agent: string;
  readonly frames: number;
  readonly blobs: number;
  readonly head: Address;
  readonly pins: RecordedPins;
  /** The public keys of the signed decisions in this run. */
  readonly keys: readonly SigningKey[];
}
const BUNDLED_RUN = {
  run_id: Name,
  tenant_id: Name,
  agent: Name,
  frames: z.int().positive(),
  blobs: z.int().nonnegative(),
  head: ContentAddress,
  pins: RecordedPins,
  keys: z.array(SigningKey),
} as const;
export const BundledRun: z.ZodType<BundledRun> = exactObject(BUNDLED_RUN);

/** The first line of a bundle. */
export interface BundleHeader extends BundledRun {
  readonly format: 'ambit-run';
  readonly version: number;
  readonly exported_at: Instant;
  /** The number of lane runs that follow; absent in a bundle of a single run. */
  readonly lanes?: number;
}
export const BundleHeader: z.ZodType<BundleHeader> = exactObject({
  ...BUNDLED_RUN,
  format: z.literal('ambit-run'),
  version: z.int().positive(),
  exported_at: Instant,
  lanes: z.int().positive().exactOptional(),
});

/** The record of an imported run. */
export interface ImportNote {
  readonly run_id: string;
  readonly agent: string;
  readonly imported_at: Instant;
  readonly exported_at: Instant;
  /** The seal of the bundle. */
  readonly bundle: Address;
  readonly pins: RecordedPins;
  readonly keys: readonly SigningKey[];
}
export const ImportNote: z.ZodType<ImportNote> = exactObject({
  run_id: Name,
  agent: Name,
  imported_at: Instant,
  exported_at: Instant,
  bundle: ContentAddress,
  pins: RecordedPins,
  keys: z.array(SigningKey),
});
