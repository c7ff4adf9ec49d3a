import { z } from 'zod';
import { Fault } from '../model/fault/fault.ts';
import { exactObject } from '../model/json/exact.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { Name } from '../model/json/name.ts';
import { parseAt } from '../model/json/parse.ts';
import { pointerToken } from '../model/json/pointer.ts';
import type { MemoryStore } from '../ports/store/memory-store.ts';

/** How long a memory is kept, and who may read it. */
export interface KeepOptions {
  readonly ttlMs: number;
  /** The scope that a run needs to read the memory. */
  readonly scope: string;
  readonly personalData?: boolean;
  readonly authority?: number;
}

export interface MemoryOptions {
  /** One of `memoryStores`, or a custom store. */
  readonly store: MemoryStore;
  /** The evidence types to remember. Some tool must produce each type. Other evidence is not remembered. */
  readonly keep: Readonly<Record<string, KeepOptions>>;
}

const TEN_YEARS_MS = 10 * 365 * 24 * 3_600_000;
const Keep: z.ZodType<KeepOptions> = exactObject({
  ttlMs: z.int().positive().max(TEN_YEARS_MS),
  scope: Name,
  personalData: z.boolean().exactOptional(),
  authority: z.int().nonnegative().exactOptional(),
});

/** The version of the gate that decides on every proposed memory. */
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

/** Converts the memory options to the terms that a run pins. Returns an empty object without memory options. */
export function memoryFor(memory: MemoryOptions | undefined): { readonly memory?: Terms } {
  if (memory === undefined) return {};
  if (typeof memory.store?.put !== 'function' || typeof memory.store.recall !== 'function') {
    throw new Fault('input_invalid', 'world.memory needs a store, such as memoryStores.inFile(path)', {
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
