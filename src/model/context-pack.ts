import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import { type CompiledContext, ContextItem, PackRef } from './context.ts';
import { type Address, address, type Hash } from './hash.ts';
import type { Json } from './json.ts';
import type { MemoryEntry } from './memory.ts';
import { MEMORY_SOURCE } from './visible-context.ts';

/** A versioned collection of what runs are told: a context pack, or a snapshot of a knowledge graph. */
export interface ContextPack {
  /** `pack@version`. */
  readonly pin: string;
  readonly items: readonly ContextItem[];
  /** Of the pin and the items together: other content under the same version is another pack. */
  readonly address: Address;
}
export const ContextPack: z.ZodType<ContextPack> = z.strictObject({
  pin: PackRef,
  items: z
    .array(ContextItem)
    .refine((items) => new Set(items.map(({ key }) => key)).size === items.length, 'must have distinct keys'),
  address: ContentAddress,
});

export const packAddress = (hash: Hash, { pin, items }: Pick<ContextPack, 'pin' | 'items'>): Address =>
  address(hash, packJson({ pin, items }));

/** What a pack is stored as. */
export const packJson = ({ pin, items }: Pick<ContextPack, 'pin' | 'items'>): Json => ({
  pin,
  items: items as unknown as Json,
});

/** What a run is compiled from. */
export interface ContextSources {
  readonly pack: ContextPack;
  readonly snapshot?: ContextPack;
}

/** One context of all of it. The same sources make the same context, whoever compiles them. */
export function compileContext({ pack, snapshot }: ContextSources, snapshotPin: string, now: number): CompiledContext {
  return {
    context_id: `context_${pack.address.slice('sha256:'.length, 'sha256:'.length + 16)}`,
    pack_pin: pack.pin,
    snapshot_pin: snapshot?.pin ?? snapshotPin,
    items: [...pack.items, ...(snapshot?.items ?? [])],
    compiled_at: now,
    memory_snapshot: null,
    sources: { pack: pack.address, ...(snapshot === undefined ? {} : { snapshot: snapshot.address }) },
  };
}

/** A memory as a run is told of it. It is evidence of nothing: what was true then has to be looked up to be true now. */
export function toItem(entry: MemoryEntry): ContextItem {
  const { entry_id, key, value, labels, trusted, promoted_at, expires_at } = entry;
  return {
    key: entry_id,
    type: `memory.${key}`.slice(0, 200),
    value,
    source_id: MEMORY_SOURCE,
    permission_scope: labels.permission_scope,
    observed_at: promoted_at,
    fresh_until: expires_at,
    trusted,
    authority: labels.authority,
    personal_data: labels.personal_data,
  };
}

/** The context of one run: what all are told, and what its tenant remembers. */
export function withMemories(
  context: CompiledContext,
  entries: readonly MemoryEntry[],
  snapshot: Address,
): CompiledContext {
  return { ...context, items: [...context.items, ...entries.map(toItem)], memory_snapshot: snapshot };
}
