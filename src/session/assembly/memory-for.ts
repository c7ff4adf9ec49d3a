import { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import { deepFreeze } from '../../model/freeze.ts';
import { Name } from '../../model/name.ts';
import { parseAt } from '../../model/parse.ts';
import { pointerToken } from '../../model/pointer.ts';
import type { MemoryStore } from '../../ports/memory-store.ts';

/** How long something is kept, and who may read it. */
export interface KeepOptions {
  readonly ttlMs: number;
  /** The scope that a run needs in order to be told of it. */
  readonly scope: string;
  readonly personalData?: boolean;
  readonly authority?: number;
}

export interface MemoryOptions {
  /** Where it is kept: one of `memoryStores`, or your own. */
  readonly store: MemoryStore;
  /** By type of evidence, what of a run is worth remembering. Nothing else is. Each is one that some tool produces. */
  readonly keep: Readonly<Record<string, KeepOptions>>;
}

const TEN_YEARS_MS = 10 * 365 * 24 * 3_600_000;
const Keep: z.ZodType<KeepOptions> = z.strictObject({
  ttlMs: z.int().positive().max(TEN_YEARS_MS),
  scope: Name,
  personalData: z.boolean().exactOptional(),
  authority: z.int().nonnegative().exactOptional(),
});

/** The gate that every run of this package has its memories ruled on by. */
const MEMORY_GATE_VALIDATOR = 'memory_gate@1';

interface Terms {
  readonly validator: string;
  readonly keep: Readonly<
    Record<
      string,
      {
        readonly ttl_ms: number;
        readonly permission_scope: string;
        readonly personal_data: boolean;
        readonly authority: number;
      }
    >
  >;
}

/** What a host says about memory, as runs are pinned to it; nothing where it has none. */
export function memoryFor(memory: MemoryOptions | undefined): { readonly memory?: Terms } {
  if (memory === undefined) return {};
  if (typeof memory.store?.put !== 'function' || typeof memory.store.recall !== 'function') {
    throw new Fault('input_invalid', 'memory needs a store, such as memoryStores.inFile(path)', {
      path: '/world/memory/store',
    });
  }
  const keep = Object.entries(memory.keep).map(([type, options]) => {
    const at = `/world/memory/keep${pointerToken(type)}`;
    const { ttlMs: ttl_ms, scope: permission_scope, ...rest } = parseAt(at, Keep, options, 'input_invalid');
    const { personalData: personal_data = false, authority = 0 } = rest;
    return [parseAt(at, Name, type, 'input_invalid'), { ttl_ms, permission_scope, personal_data, authority }] as const;
  });
  return { memory: deepFreeze({ validator: MEMORY_GATE_VALIDATOR, keep: Object.fromEntries(keep) }) };
}
