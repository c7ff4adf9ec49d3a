import { Fault } from './fault.ts';
import { isJsonList, type Json, type JsonObject } from './json.ts';

/**
 * RFC 8785 (JSON Canonicalization Scheme): one text per meaning. ECMAScript's own number and string
 * serialisation is what the RFC prescribes, and the default sort compares UTF-16 code units as it demands.
 * Iteration depth is bounded by whoever let the value in; a cyclic value cannot get past `assertJson`.
 */
export function canonicalize(value: Json): string {
  // What is put together in order the platform writes, and faster.
  return typeof value === 'object' && value !== null && isInOrder(value) ? JSON.stringify(value) : written(value);
}

function written(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return string(value);
  return isJsonList(value) ? list(value) : object(value);
}

/** Whether nothing has to be sorted or refused in what `JSON.stringify` would write. */
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

/** What `JSON.stringify` gives for a finite number is what `String` gives, and this runs several times in every step. */
function number(value: number): string {
  if (!Number.isFinite(value)) throw new Fault('input_invalid', `${value} has no canonical JSON form`);
  return String(value);
}

/** What has to be escaped, or may be half of a character. Most texts have none of it and are their own quotation. */
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

/** The same few names come again in every step. What is kept of them is bounded, since names come from strangers too. */
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

/** Few keys are the rule, and for few keys moving them into place costs less than a general sort does. */
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

/** What is written in order is not sorted again. */
function inOrder(keys: readonly string[]): boolean {
  for (let place = 1; place < keys.length; place += 1) if ((keys[place - 1] ?? '') > (keys[place] ?? '')) return false;
  return true;
}
