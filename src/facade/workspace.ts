import { tool } from '../gateway/tool/tool.ts';
import { Fault } from '../model/fault.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { printable } from '../model/printable.ts';
import type { BoundTool, ToolContext } from '../ports/bound-tool.ts';
import { waitingRoom } from '../session/lanes/waiting-room.ts';
import { memoryWorkspace, type WorkspaceStore } from '../session/lanes/workspace-store.ts';

export interface WorkspaceOptions {
  readonly name: string;
  /** Each key of the board, and the role that alone writes it; null where every role may. */
  readonly keys: Readonly<Record<string, string | null>>;
  /**
   * Where it is kept; for as long as the process lasts, where nothing is said. A run that goes on in another process then
   * finds the board empty, at version 0, and claims nothing else: what it had read is on record as what was there then,
   * and a write made from it is refused unless the key has come to that version anew. Runs that are to be resumed need a
   * store that outlives them.
   */
  readonly store?: WorkspaceStore;
  /** How long a role waits for another at most. */
  readonly waitMs?: number;
}

/** A task state that several agents work on: what each role may do to it, as tools. */
export interface Workspace {
  /** `<name>.<role>.read`, `.write` and `.wait`. */
  tools(role: string): readonly [read: BoundTool, write: BoundTool, wait: BoundTool];
}

const WAIT_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * A blackboard. A write says which version it was made from, and one that was made from an older one is refused, so
 * that nobody overwrites what they have not read. Whoever waits for a key waits for its role; where roles come to wait
 * for each other, all of them are told at once.
 */
export function workspace({ name, keys, store = memoryWorkspace(), waitMs = WAIT_MS }: WorkspaceOptions): Workspace {
  const roles = new Set(Object.values(keys).filter((role) => role !== null));
  const waiting = waitingRoom();
  const ownerOf = (key: string): string | null => {
    if (Object.hasOwn(keys, key)) return keys[key] ?? null;
    throw new Fault('input_invalid', `${name} has no key ${printable(key)}; it has ${Object.keys(keys).join(', ')}`);
  };
  return {
    tools: (role) => {
      if (roles.size > 0 && !roles.has(role) && !Object.values(keys).includes(null)) {
        throw new Fault(
          'input_invalid',
          `nothing in ${name} is for ${printable(role)}: there are ${[...roles].join(', ')}`,
        );
      }
      const called = (verb: string): string => `${name}.${role}.${verb}`;
      const read = tool({
        name: called('read'),
        description: `What ${name} holds under a key, and in which version`,
        approvalMode: 'read_only',
        inputSchema: KEY,
        outputSchema: ENTRY,
        execute: async (input) => await store.read(at(name, input), keyOf(input, ownerOf)),
        effects: { produces: [called('read')] },
      });
      const write = tool({
        name: called('write'),
        description: `Writes a key of ${name}, made from the version that was read`,
        approvalMode: 'local_write',
        inputSchema: WRITE,
        outputSchema: ENTRY,
        execute: async (input, context) => {
          const key = keyOf(input, ownerOf);
          assertOwner(name, key, ownerOf(key), role);
          const entry = await written(store, at(name, input), input, context);
          waiting.changed(`${at(name, input)} ${key}`);
          return entry;
        },
        effects: { produces: [called('write')], idempotency: { kind: 'key', retentionMs: DAY_MS } },
      });
      const wait = tool({
        name: called('wait'),
        description: `Waits until a key of ${name} has a newer version than the one that is known`,
        approvalMode: 'read_only',
        inputSchema: WAIT,
        outputSchema: ENTRY,
        execute: async (input, { signal }) => {
          const board = at(name, input);
          const key = keyOf(input, ownerOf);
          const known = Number((input as JsonObject)['after_version'] ?? 0);
          for (;;) {
            const entry = await store.read(board, key);
            if (entry.version > known) return entry;
            await waiting.wait({ board, role, owner: ownerOf(key), name: `${board} ${key}` }, signal);
          }
        },
        effects: { produces: [called('wait')] },
        limits: { timeoutMs: waitMs, retries: 0 },
      });
      return [read, write, wait];
    },
  };
}

const at = (name: string, input: unknown): string => `${name}/${String((input as JsonObject)['board'])}`;

function keyOf(input: unknown, ownerOf: (key: string) => string | null): string {
  const key = String((input as JsonObject)['key']);
  ownerOf(key);
  return key;
}

function assertOwner(name: string, key: string, owner: string | null, role: string): void {
  if (owner === null || owner === role) return;
  throw new Fault('permission_denied', `${key} of ${name} is written by ${owner}, not by ${role}`);
}

async function written(store: WorkspaceStore, board: string, input: unknown, context: ToolContext): Promise<Json> {
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
