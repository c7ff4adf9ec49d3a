import { z } from 'zod';
import { exactObject, JsonValue } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { Json } from '../json/json.ts';
import { Instant, Name } from '../json/name.ts';
import { ThreadPart } from '../run/thread.ts';

/** A context pack and its pinned version: `ctxpack.finops@3.1.0`. */
export const PackRef: z.ZodType<string> = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.:/-]*@[A-Za-z0-9_.-]+$/, 'must be a pack and a version: pack@version');

/** The context versions of a run, fixed at its start. A resume with different pins is refused. */
export interface Pins {
  readonly pack_pin: string;
  readonly snapshot_pin: string;
}
export const Pins: z.ZodType<Pins> = exactObject({ pack_pin: PackRef, snapshot_pin: Name });

/** One item of the planner's context, with the labels that decide whether a run may see it. */
export interface ContextItem {
  readonly key: string;
  readonly type: string;
  readonly value: Json;
  readonly source_id: string;
  readonly permission_scope: string;
  readonly observed_at: Instant;
  readonly fresh_until: Instant;
  readonly trusted: boolean;
  /** The rank of the source when two items contradict each other; higher wins. */
  readonly authority: number;
  readonly personal_data: boolean;
}
export const ContextItem: z.ZodType<ContextItem> = exactObject({
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

/** The context of a run before planning. It is recorded so that a replay reads the same. */
export interface CompiledContext extends Pins {
  readonly context_id: string;
  readonly items: readonly ContextItem[];
  readonly compiled_at: Instant;
  /** Address of the long-term memory at the time of reading. */
  readonly memory_snapshot: Address | null;
  /** Addresses of the source packs; absent if the context was assembled by hand. */
  readonly sources?: { readonly pack: Address; readonly snapshot?: Address };
  /** The earlier messages of the thread, oldest first; absent for a run without a thread. */
  readonly history?: readonly ThreadPart[];
}
export const CompiledContext: z.ZodType<CompiledContext> = exactObject({
  context_id: Name,
  pack_pin: PackRef,
  snapshot_pin: Name,
  items: z.array(ContextItem),
  compiled_at: Instant,
  memory_snapshot: ContentAddress.nullable(),
  sources: z.strictObject({ pack: ContentAddress, snapshot: ContentAddress.exactOptional() }).exactOptional(),
  history: z.array(ThreadPart).exactOptional(),
});

export function samePins(one: Pins, other: Pins): boolean {
  return one.pack_pin === other.pack_pin && one.snapshot_pin === other.snapshot_pin;
}

export const pinsText = ({ pack_pin, snapshot_pin }: Pins): string => `${pack_pin} and ${snapshot_pin}`;
