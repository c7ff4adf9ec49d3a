import { deepFreeze } from '../../model/json/freeze.ts';
import { isJsonList, type Json, type JsonObject } from '../../model/json/json.ts';
import { jsonAtKeys } from '../../model/json/json-at.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { ALL_TABLES, type CedarTable, type ReadTables } from './relevant-policies.ts';

/** A JSON document split by Cedar's value types, each value under its JSON Pointer. */
export interface CedarValues {
  readonly text: Readonly<Record<string, string>>;
  readonly long: Readonly<Record<string, number>>;
  /** In Cedar's notation, with one to four decimal places, such as `12.5`. */
  readonly decimal: Readonly<Record<string, string>>;
  readonly flag: Readonly<Record<string, boolean>>;
  readonly list: Readonly<Record<string, readonly string[]>>;
  /** Paths of numbers that no table can hold exactly. */
  readonly unrepresented: readonly string[];
  /** Paths of all values of any type, including null, so that a wrong type is not taken for an absence. */
  readonly present: readonly string[];
  /** Paths of texts without visible characters, and of lists that contain one. */
  readonly blank: readonly string[];
}

/**
 * Splits a document into the wanted tables. Cedar has only 64-bit integers and decimals with four places. Any other
 * number is left out and its path reported, so that a policy sees that it cannot compare instead of comparing a rounded
 * value. Never throws for JSON, and the result shares nothing with the document.
 */
export function cedarValues(document: JsonObject, { keys: wanted, places }: ReadTables = ALL_TABLES): CedarValues {
  const sorted = places === null ? sortDocument(document) : sortPlaces(document, places);
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

/** Shared, because most documents have none of the wanted values. */
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

function sortDocument(document: JsonObject): Sorted | null {
  const sorted = emptyTables();
  sortAll(document, '', sorted);
  return sorted.present.length === 0 ? null : sorted;
}

/** Allocates tables only when a value is found. */
function sortPlaces(document: JsonObject, places: NonNullable<ReadTables['places']>): Sorted | null {
  let sorted: Sorted | null = null;
  for (const { pointer, keys } of places) {
    const value = jsonAtKeys(document, keys);
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

const INVISIBLE = /^[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*$/u;
const isBlank = (text: string): boolean => INVISIBLE.test(text);

/** The largest whole amount that fits a 64-bit decimal with four places. */
const DECIMAL_MAX = 922_337_203_685_477;
const FOUR_PLACES = /^-?\d+(\.\d{1,4})?$/;

function sortNumber(value: number, path: string, sorted: Sorted): void {
  const isInteger = Number.isSafeInteger(value);
  const written = String(value === 0 ? 0 : value);
  const fits = Math.abs(value) < DECIMAL_MAX && FOUR_PLACES.test(written);
  if (isInteger) sorted.long.push([path, value === 0 ? 0 : value]);
  if (fits) sorted.decimal.push([path, written.includes('.') ? written : `${written}.0`]);
  if (!isInteger && !fits) sorted.unrepresented.push(path);
}
