/** Calls entry points with junk and counts the errors that are no Faults. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import { Fault } from '../../src/index.ts';
import { argumentsOf, type EntryPoint } from './fuzz-entries.ts';

/** One raw error: the entry point, the seed of its arguments, and the error. */
export interface RawError {
  readonly name: string;
  readonly seed: number;
  readonly error: string;
}

/** Turns of the event loop after which a promise counts as pending. */
const TURNS = 5;

/** A property of a value that may be junk itself, because some functions return what they were given. */
function read(value: unknown, key: PropertyKey): unknown {
  try {
    return (value as Readonly<Record<PropertyKey, unknown>>)[key];
  } catch {
    return undefined;
  }
}

/** Waits for the first value of a stream, or for the outcome of a run. */
async function firstValue(result: unknown): Promise<void> {
  const iterator = read(result, Symbol.asyncIterator);
  if (typeof iterator === 'function') await (iterator.call(result) as AsyncIterator<unknown>).next();
  const settled = read(result, 'settled');
  if (types.isPromise(settled)) await settled;
}

function describe(error: unknown): string {
  try {
    return error instanceof Error ? String(error.stack).split('\n').slice(0, 4).join(' ') : String(error);
  } catch {
    return 'something that cannot be shown';
  }
}

async function callOnce({ name, call }: EntryPoint, seed: number): Promise<RawError | null> {
  const work = (async () => {
    const result = call(...argumentsOf(seed));
    await firstValue(types.isPromise(result) ? { settled: result } : result);
  })().then(
    () => null,
    (error: unknown) => (Fault.is(error) ? null : { name, seed, error: describe(error) }),
  );
  const turns = (async () => {
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    return null;
  })();
  return await Promise.race([work, turns]);
}

/** Runs every entry point with this many seeds, in an empty folder that it may write to. */
export async function fuzzEntryPoints(
  points: readonly EntryPoint[],
  seeds: readonly number[],
): Promise<readonly RawError[]> {
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'ambit-fuzz-'));
  process.chdir(folder);
  const raw: RawError[] = [];
  try {
    for (const point of points) {
      for (const seed of seeds) {
        const error = await callOnce(point, seed);
        if (error !== null) raw.push(error);
      }
    }
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  }
  return raw;
}
