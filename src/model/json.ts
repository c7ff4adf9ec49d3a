import { Fault } from './fault.ts';

/** Plain JSON: what the journal stores, what is hashed, what crosses a door. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
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

/** Keys that reach into an object's prototype when somebody merges or indexes carelessly. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Proves that a stranger's value is plain, bounded JSON; otherwise a Fault that names the place.
 * Runs before any schema, so that no schema walks a bomb.
 */
export function assertJson(value: unknown, limits: JsonLimits = JSON_LIMITS): asserts value is Json {
  let nodes = 0;
  const walk = (node: unknown, path: string, depth: number): void => {
    nodes += 1;
    if (nodes > limits.nodesMax) throw refuse('json_too_large', path, `more than ${limits.nodesMax} values`);
    if (depth > limits.depthMax) throw refuse('json_too_deep', path, `nested deeper than ${limits.depthMax}`);
    if (node === null || typeof node === 'boolean') return;
    if (typeof node === 'string') {
      if (node.length > limits.stringLengthMax) {
        throw refuse('json_too_large', path, `a string of ${node.length} characters`);
      }
      if (!node.isWellFormed()) throw refuse('input_invalid', path, 'a string with a lone surrogate');
      return;
    }
    if (typeof node === 'number') {
      if (!Number.isFinite(node)) throw refuse('input_invalid', path, `${node} is not a JSON number`);
      return;
    }
    if (Array.isArray(node)) {
      for (let index = 0; index < node.length; index += 1) walk(node[index], `${path}/${index}`, depth + 1);
      return;
    }
    if (typeof node !== 'object') throw refuse('input_invalid', path, `a ${typeof node} is not JSON`);
    walkObject(node, path, depth);
  };
  const walkObject = (node: object, path: string, depth: number): void => {
    const proto: unknown = Object.getPrototypeOf(node);
    if (proto !== Object.prototype && proto !== null) throw refuse('input_invalid', path, 'not a plain object');
    for (const [key, child] of Object.entries(node)) {
      const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (PROTOTYPE_KEYS.has(key)) throw refuse('input_invalid', at, `the key "${key}" is not allowed`);
      walk(child, at, depth + 1);
    }
  };
  walk(value, '', 0);
}

function refuse(code: 'input_invalid' | 'json_too_deep' | 'json_too_large', path: string, why: string): Fault {
  return new Fault(code, `${path === '' ? 'the value' : path}: ${why}`, { path });
}
