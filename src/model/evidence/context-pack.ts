import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { type Address, address, ContentAddress, type Hash } from '../json/hash.ts';
import type { Json } from '../json/json.ts';
import { type CompiledContext, ContextItem, PackRef } from './context.ts';
import type { MemoryEntry } from './memory.ts';
import { MEMORY_SOURCE } from './visible-context.ts';

/** A versioned collection of context items: a context pack, or a snapshot of a knowledge graph. */
export interface ContextPack {
  /** `pack@version`. */
  readonly pin: string;
  readonly items: readonly ContextItem[];
  /** Address of pin and items together, so that different content under the same version is a different pack. */
  readonly address: Address;
}
export const ContextPack: z.ZodType<ContextPack> = exactObject({
  pin: PackRef,
  items: z
    .array(ContextItem)
    .refine((items) => new Set(items.map(({ key }) => key)).size === items.length, 'must have distinct keys'),
  address: ContentAddress,
});

export const packAddress = (hash: Hash, { pin, items }: Pick<ContextPack, 'pin' | 'items'>): Address =>
  address(hash, packJson({ pin, items }));

/** Returns the stored form of a pack. */
export const packJson = ({ pin, items }: Pick<ContextPack, 'pin' | 'items'>): Json => ({
  pin,
  items: items as unknown as Json,
});

/** The sources of a run's context. */
export interface ContextSources {
  readonly pack: ContextPack;
  readonly snapshot?: ContextPack;
}

/** Joins the sources to one context. The same sources always yield the same context. */
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

/** Converts a memory to a context item. It is not evidence, because an old fact has to be looked up again. */
export function memoryToItem(entry: MemoryEntry): ContextItem {
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

/** Adds the tenant's memories to the context of a run. */
export function withMemories(
  context: CompiledContext,
  entries: readonly MemoryEntry[],
  snapshot: Address,
): CompiledContext {
  return { ...context, items: [...context.items, ...entries.map(memoryToItem)], memory_snapshot: snapshot };
}
