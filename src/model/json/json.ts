import { Fault } from '../fault/fault.ts';
import { exceedsBytes, leafCeiling } from './json-size.ts';
import { pointerToken } from './pointer.ts';
import { printable } from './printable.ts';

/** Plain JSON: the only data that is stored in the journal, hashed, or accepted from outside. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Replaces `Array.isArray`, whose type guard does not cover read-only lists. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if an object in the value, at any depth, matches. The depth of the value must be limited. */
export function holdsObject(value: Json, isMatch: (object: JsonObject) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isJsonList(value)) return value.some((item) => holdsObject(item, isMatch));
  if (isMatch(value)) return true;
  for (const key in value) if (holdsObject(value[key] ?? null, isMatch)) return true;
  return false;
}

/** The maximum depth, text length, number of values and size of untrusted JSON. */
export interface JsonLimits {
  readonly depthMax: number;
  readonly stringLengthMax: number;
  readonly nodesMax: number;
  /** The size as JSON text, in bytes, with escapes counted. */
  readonly bytesMax: number;
}

/** A text of this size can be stored, hashed and quoted in a bundle without exceeding the longest possible string. */
const BYTES_MAX = 64 * 1_048_576;

export const JSON_LIMITS: JsonLimits = Object.freeze({
  depthMax: 64,
  stringLengthMax: 1_048_576,
  nodesMax: 1_000_000,
  bytesMax: BYTES_MAX,
});

/** Limits for tool answers. A text that is too long for the journal is stored outside it, like every large answer. */
export const ANSWER_LIMITS: JsonLimits = Object.freeze({ ...JSON_LIMITS, stringLengthMax: BYTES_MAX });

/** Keys appear in paths and messages, so their limit is lower than that of values. */
const KEY_LENGTH_MAX = 1_024;

/** Keys that reach into an object's prototype in a careless merge or lookup. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Checks that plain JSON may have this key. */
export const isJsonKey = (key: string): boolean =>
  key.length <= KEY_LENGTH_MAX && key.isWellFormed() && !PROTOTYPE_KEYS.has(key);

/**
 * Throws a Fault with the path unless an untrusted value is plain, bounded JSON. Runs before any schema, so that no
 * schema walks an oversized value. A cycle fails as a value that is too deep.
 */
export function assertJson(value: unknown, limits: JsonLimits = JSON_LIMITS): asserts value is Json {
  const absent = findAbsent(value, limits);
  if (absent !== null) throw refuse('input_invalid', absent, 'is undefined: leave it out, or give null');
}

/**
 * Like `assertJson`, but returns the first path that holds `undefined`, or null for plain JSON. Only a schema knows
 * which value is missing at that path, if any.
 */
export function findAbsent(value: unknown, limits: JsonLimits): string | null {
  const state: Walk = { limits, nodes: 0, ceiling: 0, trail: [], absent: null };
  try {
    walk(value, state);
    if (state.ceiling > limits.bytesMax && exceedsBytes(value as Json, limits.bytesMax))
      throw refuse('json_too_large', '', `more than ${limits.bytesMax} bytes as JSON`);
    return state.absent;
  } catch (error) {
    if (Fault.is(error)) throw error;
    // A getter or proxy that throws when it is read is not data.
    throw new Fault('input_invalid', 'the value cannot be read as plain data', { path: '', cause: error });
  }
}

interface Walk {
  readonly limits: JsonLimits;
  nodes: number;
  /** An upper bound of the size. It counts what every value takes besides its parts, commas included. */
  ceiling: number;
  /** The keys from the root to the current value. They become a pointer only for a message. */
  readonly trail: (string | number)[];
  absent: string | null;
}

function walk(node: unknown, state: Walk): void {
  const { limits, trail } = state;
  state.nodes += 1;
  state.ceiling += leafCeiling(node);
  if (state.nodes > limits.nodesMax)
    throw refuse('json_too_large', pointerOf(trail), `more than ${limits.nodesMax} values`);
  if (trail.length > limits.depthMax)
    throw refuse('json_too_deep', pointerOf(trail), `nested deeper than ${limits.depthMax}`);
  if (node === null || typeof node === 'boolean') return;
  if (typeof node === 'string') {
    checkString(node, trail, limits.stringLengthMax);
  } else if (typeof node === 'number') {
    if (!Number.isFinite(node)) throw refuse('input_invalid', pointerOf(trail), `${node} is not a JSON number`);
  } else if (Array.isArray(node)) {
    for (let index = 0; index < node.length; index += 1) walkInto(index, node[index], state);
  } else if (typeof node === 'object') {
    walkObject(node, state);
  } else if (node === undefined) {
    state.absent ??= pointerOf(trail);
  } else {
    throw refuse('input_invalid', pointerOf(trail), `a ${typeof node} is not JSON`);
  }
}

function walkInto(key: string | number, child: unknown, state: Walk): void {
  state.trail.push(key);
  walk(child, state);
  state.trail.pop();
}

function walkObject(node: object, state: Walk): void {
  const proto: unknown = Object.getPrototypeOf(node);
  if (proto !== Object.prototype && proto !== null)
    throw refuse('input_invalid', pointerOf(state.trail), 'not a plain object');
  for (const key of Object.keys(node)) {
    checkString(key, state.trail, KEY_LENGTH_MAX);
    state.ceiling += leafCeiling(key);
    if (PROTOTYPE_KEYS.has(key)) {
      throw refuse('input_invalid', pointerOf([...state.trail, key]), `the key "${key}" is not allowed`);
    }
    walkInto(key, Reflect.get(node, key), state);
  }
}

function checkString(text: string, trail: Walk['trail'], lengthMax: number): void {
  if (text.length > lengthMax)
    throw refuse('json_too_large', pointerOf(trail), `a string or key of ${text.length} characters`);
  if (!text.isWellFormed()) throw refuse('input_invalid', pointerOf(trail), 'a string or key with a lone surrogate');
}

const pointerOf = (trail: Walk['trail']): string => trail.map((key) => pointerToken(String(key))).join('');

function refuse(code: 'input_invalid' | 'json_too_deep' | 'json_too_large', path: string, why: string): Fault {
  return new Fault(code, `${path === '' ? 'the value' : printable(path)}: ${why}`, { path });
}

/** Returns an own property. A plain lookup by an untrusted name also finds inherited ones such as `toString`. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
