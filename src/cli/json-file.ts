import { readFileSync } from 'node:fs';
import { Fault, type JsonObject } from '../index.ts';

/** A file with a JSON object in it. */
export function jsonFile(file: string, flag: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (error) {
    throw new Fault('input_invalid', `${flag} ${file}: ${(error as Error).message}`, { cause: error });
  }
  throw new Fault('input_invalid', `${flag} ${file}: it holds no JSON object`);
}
