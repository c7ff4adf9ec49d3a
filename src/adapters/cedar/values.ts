import { isJsonList, type Json, type JsonObject } from '../../model/json.ts';
import { pointerToken } from '../../model/pointer.ts';

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
}

/**
 * Sorts a document into tables. Cedar has whole numbers of 64 bits and decimals of four places and nothing else, so a
 * number outside both is left out and its place is told: a policy sees that it cannot compare, instead of comparing
 * something rounded. Nothing that is JSON makes this throw. A null has no type and is left out.
 */
export function cedarValues(document: JsonObject): CedarValues {
  const sorted: Sorted = { text: [], long: [], decimal: [], flag: [], list: [], unrepresented: [] };
  sort(document, '', sorted);
  const { text, long, decimal, flag, list, unrepresented } = sorted;
  return {
    text: Object.fromEntries(text),
    long: Object.fromEntries(long),
    decimal: Object.fromEntries(decimal),
    flag: Object.fromEntries(flag),
    list: Object.fromEntries(list),
    unrepresented,
  };
}

interface Sorted {
  readonly text: [string, string][];
  readonly long: [string, number][];
  readonly decimal: [string, string][];
  readonly flag: [string, boolean][];
  readonly list: [string, readonly string[]][];
  readonly unrepresented: string[];
}

function sort(value: Json, path: string, sorted: Sorted): void {
  if (typeof value === 'string') sorted.text.push([path, value]);
  else if (typeof value === 'boolean') sorted.flag.push([path, value]);
  else if (typeof value === 'number') sortNumber(value, path, sorted);
  else if (isJsonList(value)) {
    if (value.every((item): item is string => typeof item === 'string')) sorted.list.push([path, value]);
    for (const [index, item] of value.entries()) sort(item, `${path}/${index}`, sorted);
  } else if (value !== null) {
    for (const [key, child] of Object.entries(value)) sort(child, path + pointerToken(key), sorted);
  }
}

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
