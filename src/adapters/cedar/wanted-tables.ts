import { keysIn } from '../../model/json-at.ts';
import { Pointer } from '../../model/pointer.ts';

/** Keys of one table or set: those that are asked for by name, or null where any may be. */
export type Keys = ReadonlySet<string> | null;

/** The tables that a document is sorted into, one for each type of value that Cedar knows. */
export const CEDAR_TABLES = ['text', 'long', 'decimal', 'flag', 'list', 'unrepresented', 'present', 'blank'] as const;

export type CedarTable = (typeof CEDAR_TABLES)[number];

/** What of each table somebody looks at, and every place in a document that this comes to. */
export interface Wanted {
  readonly keys: Readonly<Record<CedarTable, Keys>>;
  /** The tables of which anything is looked at. */
  readonly looked: readonly CedarTable[];
  /** Null where one table is wanted whole. A document itself is in no table. */
  readonly places: readonly Place[] | null;
}

/** A place in a document, as the policies name it and as it is found. */
interface Place {
  readonly pointer: string;
  readonly keys: readonly string[];
}

export function wantedTables(keysOf: (table: CedarTable) => Keys): Wanted {
  const keys = Object.fromEntries(CEDAR_TABLES.map((table) => [table, keysOf(table)])) as Record<CedarTable, Keys>;
  const lists = CEDAR_TABLES.map((table) => keys[table]);
  const all = lists.every((list) => list !== null) ? new Set(lists.flatMap((list) => [...list])) : null;
  const isPlace = (key: string): boolean => key !== '' && Pointer.safeParse(key).success;
  const looked = CEDAR_TABLES.filter((table) => keys[table]?.size !== 0);
  const places = [...(all ?? [])].filter(isPlace).map((pointer) => ({ pointer, keys: keysIn(pointer) ?? [] }));
  return { keys, looked, places: all === null ? null : places };
}

export const ALL_TABLES: Wanted = wantedTables(() => null);
