import { Fault } from '../fault/fault.ts';
import { assertJson, isJsonKey, JSON_LIMITS, type Json, type JsonLimits } from './json.ts';
import { exceedsBytes, leafCeiling } from './json-size.ts';

/** Checks an untrusted value and returns a frozen copy of it. Later changes to the original do not affect the copy. */
export function takeJson(value: unknown, limits: JsonLimits = JSON_LIMITS): Json {
  assertJson(value, limits);
  const seen: Seen = { limits, nodes: 0, ceiling: 0 };
  try {
    const own = copy(value, 0, seen);
    if (seen.ceiling > limits.bytesMax && exceedsBytes(own, limits.bytesMax)) throw changed();
    return own;
  } catch (error) {
    throw Fault.is(error) ? error : changed(error);
  }
}

/** Frozen copies that have been checked and need no second check. */
const PROVEN: WeakSet<object> = new WeakSet();

/** Like `takeJson`, for large values that other code checks too: `isProven` spares it the check. */
export function takeProven(value: unknown): Json {
  const own = takeJson(value);
  if (typeof own === 'object' && own !== null) PROVEN.add(own);
  return own;
}

/** True if `takeProven` returned this very object. False says nothing about the value. */
export function isProven(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && PROVEN.has(value);
}

interface Seen {
  readonly limits: JsonLimits;
  nodes: number;
  /** An upper bound of the size. */
  ceiling: number;
}

/** Copies a value and repeats the checks of `assertJson`: a getter or proxy may return another value now. */
function copy(value: unknown, depth: number, seen: Seen): Json {
  const { limits } = seen;
  seen.nodes += 1;
  seen.ceiling += leafCeiling(value);
  if (depth > limits.depthMax || seen.nodes > limits.nodesMax) throw changed();
  // JSON cannot store negative zero: replay would read another value than the run used.
  if (isLeaf(value, limits)) return value === 0 ? 0 : value;
  if (typeof value !== 'object' || value === null) throw changed();
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (let at = 0; at < value.length; at += 1) list.push(copy(value[at], depth + 1, seen));
    return Object.freeze(list);
  }
  const own: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    if (!isJsonKey(key)) throw changed();
    seen.ceiling += leafCeiling(key);
    own[key] = copy(Reflect.get(value, key), depth + 1, seen);
  }
  return Object.freeze(own);
}

function isLeaf(value: unknown, limits: JsonLimits): value is null | boolean | number | string {
  if (typeof value === 'string') return value.length <= limits.stringLengthMax && value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'boolean';
}

const changed = (cause?: unknown): Fault =>
  new Fault('input_invalid', 'the value changes while it is read: it is not plain data', { path: '', cause });
