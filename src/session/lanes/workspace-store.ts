import type { Json } from '../../model/json.ts';

/** What stands under a key; version 0 is a key that nobody has written. */
export interface WorkspaceEntry {
  readonly key: string;
  readonly value: Json;
  readonly version: number;
  readonly [field: string]: Json;
}

export interface WorkspaceWrite {
  readonly key: string;
  readonly value: Json;
  /** The version it was made from. */
  readonly base: number;
  /** The same write sent again is the same write. */
  readonly idempotencyKey: string;
}

/** Where shared task states are kept. `write` compares and sets in one: null where the base is no longer the newest. */
export interface WorkspaceStore {
  read(board: string, key: string): Promise<WorkspaceEntry>;
  write(board: string, write: WorkspaceWrite): Promise<WorkspaceEntry | null>;
}

export function memoryWorkspace(): WorkspaceStore {
  const entries = new Map<string, WorkspaceEntry>();
  const done = new Map<string, WorkspaceEntry>();
  const nameOf = (board: string, key: string): string => `${board}\n${key}`;
  return {
    read: async (board, key) => entries.get(nameOf(board, key)) ?? { key, value: null, version: 0 },
    write: async (board, { key, value, base, idempotencyKey }) => {
      const before = done.get(idempotencyKey);
      if (before !== undefined) return before;
      const version = entries.get(nameOf(board, key))?.version ?? 0;
      if (version !== base) return null;
      const entry = Object.freeze({ key, value, version: version + 1 });
      entries.set(nameOf(board, key), entry);
      done.set(idempotencyKey, entry);
      return entry;
    },
  };
}
