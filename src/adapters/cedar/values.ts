import { deepFreeze } from '../../model/freeze.ts';
import { isJsonList, type Json, type JsonObject } from '../../model/json.ts';
import { jsonUnder } from '../../model/json-at.ts';
import { pointerToken } from '../../model/pointer.ts';
import { ALL_TABLES, type CedarTable, type Wanted } from './wanted-tables.ts';

/** JSON by the types that Cedar knows, each value under its JSON Pointer. */
export interface CedarValues {
  readonly text: Readonly<Record<string, string>>;
  readonly long: Readonly<Record<string, number>>;
  /** As Cedar writes them: at least one and at most four decimals. */
  readonly decimal: Readonly<Record<string, string>>;
  readonly flag: Readonly<Record<string, boolean>>;
  readonly list: Readonly<Record<string, readonly string[]>>;
  /** Numbers that none of the tables can hold exactly. */
  readonly unrepresented: readonly string[];
  /** Whatever is there, of whatever type, null included: so that another type is not taken for an absence. */
  readonly present: readonly string[];
  /** Text in which there is nothing to read, and lists with such an item. */
  readonly blank: readonly string[];
}

/**
 * Sorts a document into tables, as far as somebody wants them. Cedar has whole numbers of 64 bits and decimals of four
 * places and nothing else, so a number outside both is left out and its place is told: a policy sees that it cannot
 * compare, instead of comparing something rounded. Nothing that is JSON makes this throw, and no part of the document is handed on.
 */
export function cedarValues(document: JsonObject, { keys: wanted, places }: Wanted = ALL_TABLES): CedarValues {
  const sorted = places === null ? sortedWhole(document) : sortedAt(document, places);
  if (sorted === null) return NOTHING_FOUND;
  const among = <T>(table: CedarTable, entries: readonly (readonly [string, T])[]): Record<string, T> => {
    const keys = wanted[table];
    return Object.fromEntries(keys === null ? entries : entries.filter(([path]) => keys.has(path)));
  };
  const paths = (table: 'unrepresented' | 'present' | 'blank'): readonly string[] => {
    const keys = wanted[table];
    return keys === null ? sorted[table] : sorted[table].filter((path) => keys.has(path));
  };
  return {
    text: among('text', sorted.text),
    long: among('long', sorted.long),
    decimal: among('decimal', sorted.decimal),
    flag: among('flag', sorted.flag),
    list: among('list', sorted.list),
    unrepresented: paths('unrepresented'),
    present: paths('present'),
    blank: paths('blank'),
  };
}

interface Sorted {
  readonly text: [string, string][];
  readonly long: [string, number][];
  readonly decimal: [string, string][];
  readonly flag: [string, boolean][];
  readonly list: [string, readonly string[]][];
  readonly unrepresented: string[];
  readonly present: string[];
  readonly blank: string[];
}

const emptyTables = (): Sorted => ({
  text: [],
  long: [],
  decimal: [],
  flag: [],
  list: [],
  unrepresented: [],
  present: [],
  blank: [],
});

/** One for all, as most documents have nothing of what is wanted. */
export const NOTHING_FOUND: CedarValues = deepFreeze({
  text: {},
  long: {},
  decimal: {},
  flag: {},
  list: {},
  unrepresented: [],
  present: [],
  blank: [],
});

function sortedWhole(document: JsonObject): Sorted | null {
  const sorted = emptyTables();
  sortAll(document, '', sorted);
  return sorted.present.length === 0 ? null : sorted;
}

/** Nothing is laid out where nothing is found. */
function sortedAt(document: JsonObject, places: NonNullable<Wanted['places']>): Sorted | null {
  let sorted: Sorted | null = null;
  for (const { pointer, keys } of places) {
    const value = jsonUnder(document, keys);
    if (value === undefined) continue;
    sorted ??= emptyTables();
    sort(value, pointer, sorted);
  }
  return sorted;
}

function sortAll(value: Json, path: string, sorted: Sorted): void {
  if (path !== '') sort(value, path, sorted);
  if (typeof value !== 'object' || value === null) return;
  if (isJsonList(value)) for (const [index, item] of value.entries()) sortAll(item, `${path}/${index}`, sorted);
  else for (const [key, child] of Object.entries(value)) sortAll(child, path + pointerToken(key), sorted);
}

function sort(value: Json, path: string, sorted: Sorted): void {
  sorted.present.push(path);
  if (typeof value === 'boolean') sorted.flag.push([path, value]);
  else if (typeof value === 'number') sortNumber(value, path, sorted);
  else if (typeof value === 'string') {
    sorted.text.push([path, value]);
    if (isBlank(value)) sorted.blank.push(path);
  } else if (isJsonList(value) && value.every((item): item is string => typeof item === 'string')) {
    sorted.list.push([path, [...value]]);
    if (value.some(isBlank)) sorted.blank.push(path);
  }
}

const NOTHING_TO_READ = /^[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*$/u;
const isBlank = (text: string): boolean => NOTHING_TO_READ.test(text);

/** The largest amount that a decimal of four places in 64 bits can hold, in whole units. */
const DECIMAL_MAX = 922_337_203_685_477;
const FOUR_PLACES = /^-?\d+(\.\d{1,4})?$/;

function sortNumber(value: number, path: string, sorted: Sorted): void {
  const whole = Number.isSafeInteger(value);
  const written = String(value === 0 ? 0 : value);
  const fits = Math.abs(value) < DECIMAL_MAX && FOUR_PLACES.test(written);
  if (whole) sorted.long.push([path, value === 0 ? 0 : value]);
  if (fits) sorted.decimal.push([path, written.includes('.') ? written : `${written}.0`]);
  if (!whole && !fits) sorted.unrepresented.push(path);
}
