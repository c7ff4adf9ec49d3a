import { Fault } from './fault.ts';
import { pointerToken } from './pointer.ts';
import { printable } from './printable.ts';

/** Plain JSON: what the journal stores, what is hashed, what crosses a door. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** The language's own check forgets that a list may be read-only. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every door has a size: nothing from a stranger may be deeper, longer or wider than this. */
export interface JsonLimits {
  readonly depthMax: number;
  readonly stringLengthMax: number;
  readonly nodesMax: number;
}

export const JSON_LIMITS: JsonLimits = Object.freeze({
  depthMax: 64,
  stringLengthMax: 1_048_576,
  nodesMax: 1_000_000,
});

/** What a tool may answer: a text that is too long for the journal is kept beside it, as every large answer is. */
export const ANSWER_LIMITS: JsonLimits = Object.freeze({ ...JSON_LIMITS, stringLengthMax: 64 * 1_048_576 });

/** Keys travel in paths and messages, so they are kept shorter than values. */
const KEY_LENGTH_MAX = 1_024;

/** Keys that reach into an object's prototype when somebody merges or indexes carelessly. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A key that plain JSON may have. */
export const isJsonKey = (key: string): boolean =>
  key.length <= KEY_LENGTH_MAX && key.isWellFormed() && !PROTOTYPE_KEYS.has(key);

/**
 * Proves that a stranger's value is plain, bounded JSON; otherwise a Fault that names the place.
 * Runs before any schema, so that no schema walks a bomb. A cycle is only a very deep value.
 */
export function assertJson(value: unknown, limits: JsonLimits = JSON_LIMITS): asserts value is Json {
  const absent = findAbsent(value, limits);
  if (absent !== null) throw refuse('input_invalid', absent, 'is undefined: leave it out, or give null');
}

/**
 * The same, except that the first place that holds `undefined` is returned: only a schema knows whether something
 * is missing there, and what. Null for plain JSON.
 */
export function findAbsent(value: unknown, limits: JsonLimits): string | null {
  const state: Walk = { limits, nodes: 0, trail: [], absent: null };
  try {
    walk(value, state);
    return state.absent;
  } catch (error) {
    if (Fault.is(error)) throw error;
    // A getter or a proxy that throws when it is looked at: whatever it is, it is not data.
    throw new Fault('input_invalid', 'the value cannot be read as plain data', { path: '', cause: error });
  }
}

interface Walk {
  readonly limits: JsonLimits;
  nodes: number;
  /** The way to where the walk is. A pointer is made of it only where there is something to say about the place. */
  readonly trail: (string | number)[];
  absent: string | null;
}

function walk(node: unknown, state: Walk): void {
  const { limits, trail } = state;
  state.nodes += 1;
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
