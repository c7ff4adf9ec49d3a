import { z } from 'zod';
import type { Fault } from '../model/fault/fault.ts';
import { exactObject } from '../model/json/exact.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { Name } from '../model/json/name.ts';
import { parseAt } from '../model/json/parse.ts';
import { pointerToken } from '../model/json/pointer.ts';
import type { MemoryStore } from '../ports/store/memory-store.ts';
import { collectFaults, hasMethods, isRecord, wrong } from './check/values.ts';

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
  const keep = Object.entries(memory.keep).map(([type, options]) => {
    const { ttlMs: ttl_ms, scope: permission_scope, ...rest } = readKept(type, options);
    const { personalData: personal_data = false, authority = 0 } = rest;
    return [type, { ttl_ms, permission_scope, personal_data, authority }] as const;
  });
  return { memory: deepFreeze({ validator: MEMORY_GATE_VALIDATOR, keep: Object.fromEntries(keep) }) };
}

function readKept(type: string, options: unknown): KeepOptions {
  const at = placeOf(type);
  parseAt(at, Name, type, 'input_invalid');
  return parseAt(at, Keep, options, 'input_invalid');
}

const placeOf = (type: string): string => `/world/memory/keep${pointerToken(type)}`;

/** Every fault of the memory options: the store, and the terms of each kept type. */
export function memoryFaults(memory: MemoryOptions | undefined): readonly Fault[] {
  if (!isRecord(memory)) return [];
  const { store, keep } = memory as Partial<MemoryOptions>;
  const storeFaults = hasMethods(store, ['put', 'recall'])
    ? []
    : [wrong('/world/memory/store', 'world.memory needs a store, such as memoryStores.inFile(path)')];
  if (!isRecord(keep)) {
    const message =
      'world.memory.keep must be an object, such as { order: { ttlMs: 86_400_000, scope: "orders.read" } }';
    return [...storeFaults, wrong('/world/memory/keep', message)];
  }
  const types = Object.entries(keep).flatMap(([type, options]) => collectFaults(() => readKept(type, options)));
  return [...storeFaults, ...types];
}
