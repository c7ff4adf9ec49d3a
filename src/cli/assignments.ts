import { readFileSync } from 'node:fs';
import { Fault, type Json, type JsonObject } from '../index.ts';

/** `order_id=ord_881`, `amount=42`, `items=[1,2]`: what reads as JSON is that, and everything else is text. */
export function assignments(given: readonly string[], flag: string): JsonObject {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new Fault('input_invalid', `${flag} ${pair}: write it as name=value`);
      return [pair.slice(0, at), readValue(pair.slice(at + 1))];
    }),
  );
}

function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

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
