import { Fault } from '../fault/fault.ts';
import { inputFault } from '../fault/guard-input.ts';
import { isJsonList, type Json, type JsonObject } from './json.ts';

/**
 * Writes a value by RFC 8785 (JSON Canonicalization Scheme): one text per meaning. The RFC prescribes ECMAScript's
 * number and string serialisation and a sort by UTF-16 code units, which is the default sort. The caller has bounded
 * the depth of the value and excluded cycles with `assertJson`.
 */
export function canonicalize(value: Json): string {
  try {
    // `JSON.stringify` is faster and writes the same text if the keys are already sorted.
    return typeof value === 'object' && value !== null && isInOrder(value) ? JSON.stringify(value) : written(value);
  } catch (error) {
    throw inputFault('canonicalize', error);
  }
}

function written(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return string(value);
  return isJsonList(value) ? list(value) : object(value);
}

/** Checks that `JSON.stringify` writes the canonical text: there is nothing to sort and nothing to refuse. */
function isInOrder(value: Json | undefined): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return typeof value === 'boolean';
  if (value === null) return true;
  if (isJsonList(value)) return value.every(isInOrder);
  let before = '';
  for (const key in value) {
    if (key < before || !key.isWellFormed() || !isInOrder(value[key])) return false;
    before = key;
  }
  return !('toJSON' in value);
}

/** Uses `String`, which writes a finite number as `JSON.stringify` does, because it runs several times per step. */
function number(value: number): string {
  if (!Number.isFinite(value)) throw new Fault('input_invalid', `${value} has no canonical JSON form`);
  return String(value);
}

/** Characters that must be escaped or may be a lone surrogate. Most texts have none and only need quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be escaped
const NEEDS_CARE = /["\\\u0000-\u001f\ud800-\udfff]/;

function string(value: string): string {
  if (!NEEDS_CARE.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw new Fault('input_invalid', 'a lone surrogate has no canonical JSON form');
  return JSON.stringify(value);
}

function list(values: readonly Json[]): string {
  let text = '[';
  for (let index = 0; index < values.length; index += 1) {
    if (index > 0) text += ',';
    text += written(values[index] ?? null);
  }
  return `${text}]`;
}

function object(value: JsonObject): string {
  let text = '';
  for (const key of sorted(Object.keys(value))) {
    const child = value[key];
    if (child === undefined) continue;
    text += (text === '' ? '{' : ',') + quoted(key) + written(child);
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Quoted keys; the same few occur in every step. Bounded, because keys also come from untrusted input. */
const QUOTED = new Map<string, string>();
const QUOTED_MAX = 1_000;
const NAME_MAX = 64;

function quoted(key: string): string {
  const known = QUOTED.get(key);
  if (known !== undefined) return known;
  const text = `${string(key)}:`;
  if (QUOTED.size < QUOTED_MAX && key.length <= NAME_MAX) QUOTED.set(key, text);
  return text;
}

/** Up to this many keys, which is the common case, an insertion sort is faster than a general sort. */
const FEW = 12;

function sorted(keys: string[]): readonly string[] {
  if (keys.length > FEW) return inOrder(keys) ? keys : keys.sort();
  for (let end = 1; end < keys.length; end += 1) {
    const key = keys[end] ?? '';
    let place = end;
    for (; place > 0 && (keys[place - 1] ?? '') > key; place -= 1) keys[place] = keys[place - 1] ?? '';
    keys[place] = key;
  }
  return keys;
}

/** Checks that the keys are sorted already. */
function inOrder(keys: readonly string[]): boolean {
  for (let place = 1; place < keys.length; place += 1) if ((keys[place - 1] ?? '') > (keys[place] ?? '')) return false;
  return true;
}

/**
 * Replaces every negative zero with 0. JSON text does not distinguish them: 0 is hashed, stored and approved, so 0 must
 * be sent. A value without negative zero is returned itself.
 */
export function plainZeros<T extends Json>(value: T): T {
  return (holdsMinusZero(value) ? plain(value) : value) as T;
}

/** Checks for a negative zero without allocating, because it runs for the arguments of every call. */
function holdsMinusZero(value: Json): boolean {
  if (typeof value === 'number') return Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return false;
  if (isJsonList(value)) return value.some(holdsMinusZero);
  for (const key in value) if (holdsMinusZero(value[key] ?? null)) return true;
  return false;
}

function plain(value: Json): Json {
  if (value === 0) return 0;
  if (!holdsMinusZero(value) || typeof value !== 'object' || value === null) return value;
  return isJsonList(value) ? value.map(plain) : plainObject(value);
}

const plainObject = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, plain(value)]));
