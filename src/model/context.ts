import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import type { Address } from './hash.ts';
import type { Json } from './json.ts';
import { JsonValue } from './json-schema.ts';
import { Instant, Name } from './name.ts';

/** A context pack and the version a session is pinned to: `ctxpack.finops@3.1.0`. */
export const PackRef: z.ZodType<string> = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.:/-]*@[A-Za-z0-9_.-]+$/, 'must be a pack and a version: pack@version');

/** What a run reads, fixed when it starts. Any difference on resume refuses it. */
export interface Pins {
  readonly pack_pin: string;
  readonly snapshot_pin: string;
}

/** One piece of what the planner reads, with the labels by which it may be withheld. */
export interface ContextItem {
  readonly key: string;
  readonly type: string;
  readonly value: Json;
  readonly source_id: string;
  readonly permission_scope: string;
  readonly observed_at: Instant;
  readonly fresh_until: Instant;
  readonly trusted: boolean;
  /** How much the source counts where two contradict each other; higher wins. */
  readonly authority: number;
  readonly personal_data: boolean;
}
export const ContextItem: z.ZodType<ContextItem> = z.strictObject({
  key: Name,
  type: Name,
  value: JsonValue,
  source_id: Name,
  permission_scope: Name,
  observed_at: Instant,
  fresh_until: Instant,
  trusted: z.boolean(),
  authority: z.int().nonnegative(),
  personal_data: z.boolean(),
});

/** All that a run is told before it plans. Recorded, because a replay reads the same. */
export interface CompiledContext extends Pins {
  readonly context_id: string;
  readonly items: readonly ContextItem[];
  readonly compiled_at: Instant;
  /** Address of the long-term memory as it was read. */
  readonly memory_snapshot: Address | null;
  /** Addresses of the packs it was compiled from; absent where somebody has put it together by hand. */
  readonly sources?: { readonly pack: Address; readonly snapshot?: Address };
}
export const CompiledContext: z.ZodType<CompiledContext> = z.strictObject({
  context_id: Name,
  pack_pin: PackRef,
  snapshot_pin: Name,
  items: z.array(ContextItem),
  compiled_at: Instant,
  memory_snapshot: ContentAddress.nullable(),
  sources: z.strictObject({ pack: ContentAddress, snapshot: ContentAddress.exactOptional() }).exactOptional(),
});
