import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { part, pathOf } from './policy-parts.ts';
import { type Keys, type Wanted, wantedTables } from './wanted-tables.ts';

/** Which parts of `context` a set of policies can see, by path: `profile`, `arguments.text`. */
export interface LookedAt {
  /** No keys where nothing of it is looked at. */
  keys(path: string): Keys;
  /** What of the tables of a document is looked at. */
  tables(id: 'arguments' | 'evidence'): Wanted;
}

const NOTHING: Keys = new Set();

/**
 * Found in the policies themselves. Handing a value to the engine costs more than deciding about it, so it is handed
 * what somebody looks at: an argument list of any length costs nothing where no rule mentions it. Whatever is not
 * recognised counts as looking at everything.
 */
export function lookedAt(policies: readonly PolicyJson[]): LookedAt {
  const seen = new Map<string, Set<string> | null>();
  for (const { conditions } of policies) look(conditions, seen);
  // Asked about every call with the same few paths, none of which comes from a stranger.
  const known = new Map<string, Keys>();
  const keys = (path: string): Keys => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = keysOf(seen, path);
    known.set(path, found);
    return found;
  };
  const wanted = {
    arguments: wantedTables((table) => keys(`arguments.${table}`)),
    evidence: wantedTables((table) => keys(`evidence.${table}`)),
  };
  return { keys, tables: (id) => wanted[id] };
}

type Seen = Map<string, Set<string> | null>;

/** Whoever looks at a whole record has looked at every part of it. */
function keysOf(seen: Seen, path: string): Keys {
  const above = path.split('.').slice(0, -1);
  const whole = ['', ...above.map((_, last) => above.slice(0, last + 1).join('.'))];
  return whole.some((prefix) => seen.get(prefix) === null) ? null : (seen.get(path) ?? lookedInto(seen, path));
}

const lookedInto = (seen: Seen, path: string): Keys => (seen.has(path) ? null : NOTHING);

function look(node: unknown, seen: Seen): void {
  if (typeof node !== 'object' || node === null) return;
  const path = pathOf(node);
  if (path !== null) {
    seen.set(path, null);
    return;
  }
  for (const [operator, operands] of Object.entries(node)) {
    if (!lookByName(operator, operands, seen)) look(operands, seen);
  }
}

const BY_NAME: readonly string[] = ['hasTag', 'getTag', 'contains', 'containsAny', 'containsAll'];

/** Whether the operator asks a part of the context about keys that are written in the policy. */
function lookByName(operator: string, operands: unknown, seen: Seen): boolean {
  if (!BY_NAME.includes(operator)) return false;
  const path = pathOf(part(operands, 'left'));
  const names = literals(part(operands, 'right'));
  if (path === null || names === null) return false;
  const before = seen.get(path);
  if (before !== null) seen.set(path, new Set([...(before ?? []), ...names]));
  return true;
}

function literals(node: unknown): readonly string[] | null {
  const set = part(node, 'Set');
  const values = (Array.isArray(set) ? set : [node]).map((item: unknown) => part(item, 'Value'));
  return values.every((value): value is string => typeof value === 'string') ? values : null;
}
