import { mkdirSync, readFileSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { Fault, type JsonObject } from '../index.ts';

/** Reads a file that contains a JSON object. `source` names the option in error messages, such as `--limits`. */
export function readJsonFile(file: string, source: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (error) {
    throw new Fault('input_invalid', `${source} ${file}: ${(error as Error).message}`, { cause: error });
  }
  throw new Fault('input_invalid', `${source} ${file}: the file does not contain a JSON object`);
}

/** The status of a file or folder, or null if there is none or its path cannot be followed. */
export function statusOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Creates a folder for new files, which only its owner can read. The folder may exist. */
export function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { message } = error as NodeJS.ErrnoException;
    throw new Fault('input_invalid', `cannot create the folder ${folder}: ${message}; use another one`, {
      cause: error,
    });
  }
}

/** Writes a new file (a key, anchors, a bundle) that only its owner can read. An existing one is never overwritten. */
export function writeNewFile(file: string, content: string | Uint8Array): void {
  try {
    writeFileSync(file, content, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'the file already exists and is not overwritten' : message;
    throw new Fault('input_invalid', `cannot write ${file}: ${why}`, { cause: error });
  }
}
