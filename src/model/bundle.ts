import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import { GatePolicy } from './gate.ts';
import type { Address } from './hash.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { JudgeSpec } from './judge.ts';
import { Instant, Name } from './name.ts';
import { Rubric } from './rubric.ts';
import { SigningKey } from './signing-key.ts';

/**
 * What a run is decided with besides its tools, its decisions and its policies, as data. Limits and graph are held to
 * their schemas by whoever uses them: what a later version adds to them has a default.
 */
export interface RecordedPins {
  readonly graph: JsonObject;
  readonly rubric: Rubric;
  readonly judges: readonly JudgeSpec[];
  readonly gates: Readonly<Record<string, Partial<GatePolicy>>>;
  readonly limits: JsonObject;
  readonly specialist: boolean;
  /** What `context_hash` of a policy decision covers; where it is left out, the whole request. */
  readonly policy_context?: 'looked_at';
}
export const RecordedPins: z.ZodType<RecordedPins> = z.strictObject({
  graph: JsonRecord,
  rubric: Rubric,
  judges: z.array(JudgeSpec),
  gates: z.record(Name, GatePolicy),
  limits: JsonRecord,
  specialist: z.boolean(),
  policy_context: z.literal('looked_at').exactOptional(),
});

/** A bundle of one run; of a run and its lanes. One that says another number was made by another version, and may mean something else. */
export const BUNDLE_VERSION = 1;
export const LANES_BUNDLE_VERSION = 2;

/** What a bundle says of one of its runs. */
export interface BundledRun {
  readonly run_id: string;
  readonly tenant_id: string;
  readonly agent: string;
  readonly frames: number;
  readonly blobs: number;
  readonly head: Address;
  readonly pins: RecordedPins;
  /** The public halves of the keys that decisions in this run are signed with. */
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
export const BundledRun: z.ZodType<BundledRun> = z.strictObject(BUNDLED_RUN);

/** The first line of a bundle: what it holds. */
export interface BundleHeader extends BundledRun {
  readonly format: 'ambit-run';
  readonly version: number;
  readonly exported_at: Instant;
  /** How many runs of lanes follow; left out where the bundle is of one run. */
  readonly lanes?: number;
}
export const BundleHeader: z.ZodType<BundleHeader> = z.strictObject({
  ...BUNDLED_RUN,
  format: z.literal('ambit-run'),
  version: z.int().positive(),
  exported_at: Instant,
  lanes: z.int().positive().exactOptional(),
});

/** What is left in a store of how a run came there from elsewhere. */
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
export const ImportNote: z.ZodType<ImportNote> = z.strictObject({
  run_id: Name,
  agent: Name,
  imported_at: Instant,
  exported_at: Instant,
  bundle: ContentAddress,
  pins: RecordedPins,
  keys: z.array(SigningKey),
});
