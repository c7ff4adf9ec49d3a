import { createRequire } from 'node:module';
import { Fault } from '../../model/fault/fault.ts';

export type CedarEngine = typeof import('@cedar-policy/cedar-wasm/nodejs');

const require = createRequire(import.meta.url);

let engine: CedarEngine | null = null;

/** Loads another instance of the engine, with a memory and a stack of its own. */
export function newEngine(): CedarEngine {
  delete require.cache[require.resolve('@cedar-policy/cedar-wasm/nodejs')];
  return require('@cedar-policy/cedar-wasm/nodejs') as CedarEngine;
}

/**
 * Reads policy texts with an instance of the engine that decides no calls. A text that makes the instance fail costs only
 * this instance, which is replaced; the instance that decides the calls of all tenants never sees the text.
 */
export function readWithEngine<T>(read: (engine: CedarEngine) => T): T {
  engine ??= newEngine();
  try {
    return read(engine);
  } catch (error) {
    if (!Fault.is(error)) engine = null;
    throw error;
  }
}
