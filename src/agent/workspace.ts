import { tool } from '../gateway/tool/tool.ts';
import { Fault } from '../model/fault/fault.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import { printable } from '../model/json/printable.ts';
import type { BoundTool, ToolContext } from '../ports/bound-tool.ts';

export interface WorkspaceOptions {
  readonly name: string;
  /** The keys of the board. The value is the only role that may write the key, or null if every role may. */
  readonly keys: Readonly<Record<string, string | null>>;
  /**
   * The store of the board. By default it lasts as long as the process: a run that resumes in another process finds the
   * board empty, at version 0, and a write from an older version is refused until the key reaches that version again.
   * Use a durable store for runs that are resumed.
   */
  readonly store?: WorkspaceStore;
  /** The longest time that a role waits for another one. */
  readonly waitMs?: number;
}

/** A task state that several agents share. Each role accesses it through tools. */
export interface Workspace {
  /** The tools `<name>.<role>.read`, `.write` and `.wait`. */
  tools(role: string): readonly [read: BoundTool, write: BoundTool, wait: BoundTool];
}

const WAIT_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Creates a blackboard. A write names the version it was made from and is refused if the key has a newer one, so no
 * role overwrites a value that it has not read. Roles that wait for each other in a cycle all fail at once.
 */
export const workspace: (input: WorkspaceOptions) => Workspace = guardInput('workspace', createWorkspace);

function createWorkspace({ name, keys, store = memoryWorkspace(), waitMs = WAIT_MS }: WorkspaceOptions): Workspace {
  const roles = new Set(Object.values(keys).filter((role) => role !== null));
  const waiting = createWaiterRegistry();
  const ownerOf = (key: string): string | null => {
    if (Object.hasOwn(keys, key)) return keys[key] ?? null;
    throw new Fault('input_invalid', `${name} has no key ${printable(key)}; it has ${Object.keys(keys).join(', ')}`);
  };
  return {
    tools: (role) => {
      if (roles.size > 0 && !roles.has(role) && !Object.values(keys).includes(null)) {
        throw new Fault(
          'input_invalid',
          `workspace ${name} has no role ${printable(role)}; its roles are ${[...roles].join(', ')}`,
        );
      }
      const toolName = (verb: string): string => `${name}.${role}.${verb}`;
      const read = tool({
        name: toolName('read'),
        description: `What ${name} holds under a key, and in which version`,
        approvalMode: 'read_only',
        inputSchema: KEY,
        outputSchema: ENTRY,
        execute: async (input, { tenantId }) => await store.read(boardOf(name, tenantId, input), keyOf(input, ownerOf)),
        effects: { produces: [toolName('read')] },
      });
      const write = tool({
        name: toolName('write'),
        description: `Writes a key of ${name}, made from the version that was read`,
        approvalMode: 'local_write',
        inputSchema: WRITE,
        outputSchema: ENTRY,
        execute: async (input, context) => {
          const key = keyOf(input, ownerOf);
          assertOwner(name, key, ownerOf(key), role);
          const board = boardOf(name, context.tenantId, input);
          const entry = await writeEntry(store, board, input, context);
          waiting.notifyChanged(placeOf(board, key));
          return entry;
        },
        effects: { produces: [toolName('write')], idempotency: { kind: 'key', retentionMs: DAY_MS } },
      });
      const wait = tool({
        name: toolName('wait'),
        description: `Waits until a key of ${name} has a newer version than the one that is known`,
        approvalMode: 'read_only',
        inputSchema: WAIT,
        outputSchema: ENTRY,
        execute: async (input, { signal, tenantId }) => {
          const board = boardOf(name, tenantId, input);
          const key = keyOf(input, ownerOf);
          const known = Number((input as JsonObject)['after_version'] ?? 0);
          for (;;) {
            const entry = await store.read(board, key);
            if (entry.version > known) return entry;
            const waiter = { board: placeOf(board), role, owner: ownerOf(key), name: placeOf(board, key) };
            await waiting.wait(waiter, signal);
          }
        },
        effects: { produces: [toolName('wait')] },
        limits: { timeoutMs: waitMs, retries: 0 },
      });
      return [read, write, wait];
    },
  };
}

/** One board of one tenant. The tenant is that of the run, never an argument, so no call reaches a foreign board. */
interface Board {
  readonly tenantId: string;
  readonly workspace: string;
  readonly board: string;
}

const boardOf = (workspace: string, tenantId: string, input: unknown): Board => ({
  tenantId,
  workspace,
  board: String((input as JsonObject)['board']),
});

/** An unambiguous name of a board, or of a key of it: no part can imitate another one. */
const placeOf = ({ tenantId, workspace, board }: Board, ...key: readonly string[]): string =>
  JSON.stringify([tenantId, workspace, board, ...key]);

function keyOf(input: unknown, ownerOf: (key: string) => string | null): string {
  const key = String((input as JsonObject)['key']);
  ownerOf(key);
  return key;
}

function assertOwner(name: string, key: string, owner: string | null, role: string): void {
  if (owner === null || owner === role) return;
  throw new Fault('permission_denied', `${key} of ${name} is written by ${owner}, not by ${role}`);
}

async function writeEntry(store: WorkspaceStore, board: Board, input: unknown, context: ToolContext): Promise<Json> {
  const { key, value = null, base_version } = input as JsonObject;
  const entry = await store.write(board, {
    key: String(key),
    value,
    base: Number(base_version),
    idempotencyKey: context.idempotencyKey,
  });
  if (entry !== null) return entry;
  const { version } = await store.read(board, String(key));
  const message = `${String(key)} is at version ${version} by now, and this was made from ${String(base_version)}: read it again`;
  throw new Fault('workspace_conflict', message);
}

const PLACE = { board: { type: 'string', minLength: 1 }, key: { type: 'string', minLength: 1 } } as const;
const KEY: JsonObject = { type: 'object', properties: PLACE, required: ['board', 'key'], additionalProperties: false };
const WRITE: JsonObject = {
  type: 'object',
  properties: { ...PLACE, value: {}, base_version: { type: 'integer', minimum: 0 } },
  required: ['board', 'key', 'value', 'base_version'],
  additionalProperties: false,
};
const WAIT: JsonObject = {
  type: 'object',
  properties: { ...PLACE, after_version: { type: 'integer', minimum: 0 } },
  required: ['board', 'key'],
  additionalProperties: false,
};
const ENTRY: JsonObject = {
  type: 'object',
  properties: { key: { type: 'string' }, value: {}, version: { type: 'integer', minimum: 0 } },
  required: ['key', 'value', 'version'],
};

/** The value of a key. Version 0 is a key that has not been written yet. */
interface WorkspaceEntry {
  readonly key: string;
  readonly value: Json;
  readonly version: number;
  readonly [field: string]: Json;
}

interface WorkspaceWrite {
  readonly key: string;
  readonly value: Json;
  /** The version that the write was made from. */
  readonly base: number;
  /** Two writes with the same idempotency key are one write. */
  readonly idempotencyKey: string;
}

/** Stores the boards of every tenant. `write` compares and sets atomically and returns null if the base version is outdated. */
interface WorkspaceStore {
  read(board: Board, key: string): Promise<WorkspaceEntry>;
  write(board: Board, write: WorkspaceWrite): Promise<WorkspaceEntry | null>;
}

function memoryWorkspace(): WorkspaceStore {
  const entries = new Map<string, WorkspaceEntry>();
  const done = new Map<string, WorkspaceEntry>();
  return {
    read: async (board, key) => entries.get(placeOf(board, key)) ?? { key, value: null, version: 0 },
    write: async (board, { key, value, base, idempotencyKey }) => {
      const place = placeOf(board, key);
      const sameWrite = placeOf(board, key, idempotencyKey);
      const before = done.get(sameWrite);
      if (before !== undefined) return before;
      const version = entries.get(place)?.version ?? 0;
      if (version !== base) return null;
      const entry = Object.freeze({ key, value, version: version + 1 });
      entries.set(place, entry);
      done.set(sameWrite, entry);
      return entry;
    },
  };
}

/** A role that waits until another role writes a key. */
export interface Waiter {
  readonly board: string;
  readonly role: string;
  /** The role that writes the key, or null if every role may write it. */
  readonly owner: string | null;
  /** The board and the key that the role waits for. */
  readonly name: string;
}

interface Waiting extends Waiter {
  readonly wake: () => void;
  readonly stall: (fault: Fault) => void;
}

/** Tracks which roles wait for each other. A cycle never resolves, so every role in it fails as soon as it forms. */
export interface WaiterRegistry {
  wait(waiter: Waiter, signal: AbortSignal): Promise<void>;
  notifyChanged(name: string): void;
}

export function createWaiterRegistry(): WaiterRegistry {
  const waiting = new Set<Waiting>();
  /** Returns the cycle that starts at a waiting role; empty if there is none. */
  const findCycle = (first: Waiting): readonly Waiting[] => {
    const cycle = [first];
    for (let last = first; ; ) {
      const next = [...waiting].find(({ board, role }) => board === first.board && role === last.owner);
      if (next === undefined) return [];
      if (next.role === first.role) return cycle;
      if (cycle.includes(next)) return [];
      cycle.push(next);
      last = next;
    }
  };
  return {
    wait: (waiter, signal) =>
      new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(entry);
          signal.removeEventListener('abort', abandoned);
        };
        const abandoned = (): void => {
          leave();
          reject(new Fault('step_timeout', `${waiter.role} waited for ${waiter.name} in vain`));
        };
        const entry: Waiting = {
          ...waiter,
          wake: () => {
            leave();
            resolve();
          },
          stall: (fault) => {
            leave();
            reject(fault);
          },
        };
        if (signal.aborted) return abandoned();
        waiting.add(entry);
        signal.addEventListener('abort', abandoned, { once: true });
        const cycle = findCycle(entry);
        if (cycle.length === 0) return;
        const path = [...cycle.map(({ role }) => role), waiter.role].join(' → ');
        for (const each of cycle) each.stall(new Fault('coordination_stall', `${path}: each waits for the next`));
      }),
    notifyChanged: (name) => {
      for (const each of [...waiting]) if (each.name === name) each.wake();
    },
  };
}
