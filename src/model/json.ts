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
  const state: Walk = { limits, nodes: 0, absent: null };
  try {
    walk(value, '', 0, state);
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
  absent: string | null;
}

function walk(node: unknown, path: string, depth: number, state: Walk): void {
  const { limits } = state;
  state.nodes += 1;
  if (state.nodes > limits.nodesMax) throw refuse('json_too_large', path, `more than ${limits.nodesMax} values`);
  if (depth > limits.depthMax) throw refuse('json_too_deep', path, `nested deeper than ${limits.depthMax}`);
  if (node === null || typeof node === 'boolean') return;
  if (typeof node === 'string') {
    checkString(node, path, limits.stringLengthMax);
  } else if (typeof node === 'number') {
    if (!Number.isFinite(node)) throw refuse('input_invalid', path, `${node} is not a JSON number`);
  } else if (Array.isArray(node)) {
    for (let index = 0; index < node.length; index += 1) walk(node[index], `${path}/${index}`, depth + 1, state);
  } else if (typeof node === 'object') {
    walkObject(node, path, depth, state);
  } else if (node === undefined) {
    state.absent ??= path;
  } else {
    throw refuse('input_invalid', path, `a ${typeof node} is not JSON`);
  }
}

function walkObject(node: object, path: string, depth: number, state: Walk): void {
  const proto: unknown = Object.getPrototypeOf(node);
  if (proto !== Object.prototype && proto !== null) throw refuse('input_invalid', path, 'not a plain object');
  for (const [key, child] of Object.entries(node)) {
    checkString(key, path, KEY_LENGTH_MAX);
    const at = path + pointerToken(key);
    if (PROTOTYPE_KEYS.has(key)) throw refuse('input_invalid', at, `the key "${key}" is not allowed`);
    walk(child, at, depth + 1, state);
  }
}

function checkString(text: string, path: string, lengthMax: number): void {
  if (text.length > lengthMax) throw refuse('json_too_large', path, `a string or key of ${text.length} characters`);
  if (!text.isWellFormed()) throw refuse('input_invalid', path, 'a string or key with a lone surrogate');
}

function refuse(code: 'input_invalid' | 'json_too_deep' | 'json_too_large', path: string, why: string): Fault {
  return new Fault(code, `${path === '' ? 'the value' : printable(path)}: ${why}`, { path });
}
