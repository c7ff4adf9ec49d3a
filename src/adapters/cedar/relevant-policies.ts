import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { keysIn } from '../../model/json/json-at.ts';
import { Pointer } from '../../model/json/pointer.ts';
import type { PolicyRequest } from '../../model/policy/policy-request.ts';
import { part, pathOf } from './read-policies.ts';

/** The action and profile that a policy is limited to; null means any. */
interface PolicyReach {
  readonly action: string | null;
  readonly profile: string | null;
}

/**
 * Derives a policy's reach from the action it names and from a first condition of the form `context has profile &&
 * context.profile == "…"`. The engine stops at a first condition that is false, so outside its reach a policy can
 * neither decide nor fail, and leaving it out saves time.
 */
export function reachOf({ action, conditions }: PolicyJson): PolicyReach {
  const [first] = conditions;
  return {
    action: action.op === '==' && 'entity' in action ? idOf(action.entity) : null,
    profile: first?.kind === 'when' ? profileIn(first.body) : null,
  };
}

export function isReached({ action, profile }: PolicyReach, request: PolicyRequest): boolean {
  const ofRequest = request.action === 'call_tool' ? request.context.profile : null;
  return (action === null || action === request.action) && (profile === null || profile === ofRequest);
}

function profileIn(condition: unknown): string | null {
  const both = part(condition, '&&');
  if (both === undefined) return null;
  const [left, equal] = [part(both, 'left'), part(part(both, 'right'), '==')];
  const value = part(part(equal, 'right'), 'Value');
  const isPin = isProfile(part(left, 'has')) && isProfile(part(part(equal, 'left'), '.'));
  return isPin && typeof value === 'string' ? value : profileIn(left);
}

const isProfile = (access: unknown): boolean =>
  pathOf(part(access, 'left')) === '' && part(access, 'attr') === 'profile';

function idOf(entity: unknown): string | null {
  const id = part(part(entity, '__entity') ?? entity, 'id');
  return typeof id === 'string' ? id : null;
}

/** The keys of a table or set that policies name; null if they may read any key. */
export type Keys = ReadonlySet<string> | null;

/** The tables that a document is split into, one per value type in Cedar. */
const CEDAR_TABLES = ['text', 'long', 'decimal', 'flag', 'list', 'unrepresented', 'present', 'blank'] as const;

export type CedarTable = (typeof CEDAR_TABLES)[number];

/** The keys that policies read in each table, and the document locations they refer to. */
export interface ReadTables {
  readonly keys: Readonly<Record<CedarTable, Keys>>;
  readonly tables: readonly CedarTable[];
  /** Null if a table is read completely. The root of a document is in no table. */
  readonly places: readonly Place[] | null;
}

/** A location in a document: its JSON Pointer and the decoded keys. */
interface Place {
  readonly pointer: string;
  readonly keys: readonly string[];
}

export function wantedTables(keysOf: (table: CedarTable) => Keys): ReadTables {
  const keys = Object.fromEntries(CEDAR_TABLES.map((table) => [table, keysOf(table)])) as Record<CedarTable, Keys>;
  const lists = CEDAR_TABLES.map((table) => keys[table]);
  const all = lists.every((list) => list !== null) ? new Set(lists.flatMap((list) => [...list])) : null;
  const isPlace = (key: string): boolean => key !== '' && Pointer.safeParse(key).success;
  const looked = CEDAR_TABLES.filter((table) => keys[table]?.size !== 0);
  const places = [...(all ?? [])].filter(isPlace).map((pointer) => ({ pointer, keys: keysIn(pointer) ?? [] }));
  return { keys, tables: looked, places: all === null ? null : places };
}

export const ALL_TABLES: ReadTables = wantedTables(() => null);
