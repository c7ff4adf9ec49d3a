import { Fault } from './fault.ts';
import { assertJson, isJsonKey, JSON_LIMITS, type Json, type JsonLimits } from './json.ts';

/**
 * A stranger's value as one's own: plain, bounded, copied and frozen. Whoever handed it over may keep a hand on the
 * original; what was checked is what stays.
 */
export function takeJson(value: unknown, limits: JsonLimits = JSON_LIMITS): Json {
  assertJson(value, limits);
  try {
    return copy(value, 0, { limits, nodes: 0 });
  } catch (error) {
    throw Fault.is(error) ? error : changed(error);
  }
}

/** Copies of one's own that nothing can change any more: what was proven of them once need not be proven again. */
const PROVEN: WeakSet<object> = new WeakSet();

/** The same for what is large and will be looked at by others as well, who then know that it is plain and bounded. */
export function takeProven(value: unknown): Json {
  const own = takeJson(value);
  if (typeof own === 'object' && own !== null) PROVEN.add(own);
  return own;
}

/** Whether this very value was taken so; no says nothing about it. */
export function isProven(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && PROVEN.has(value);
}

interface Seen {
  readonly limits: JsonLimits;
  nodes: number;
}

/**
 * A getter or a proxy may answer the second time what it would not have got away with the first time: a copy is held to
 * all that the first look holds a value to.
 */
function copy(value: unknown, depth: number, seen: Seen): Json {
  const { limits } = seen;
  seen.nodes += 1;
  if (depth > limits.depthMax || seen.nodes > limits.nodesMax) throw changed();
  // A zero below zero cannot be stored: whoever reads the journal would find another value than the run went on with.
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
