import type { Json, JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';
import { pointerToken } from '../model/pointer.ts';

export interface Difference {
  readonly path: string;
  readonly message: string;
}

/** The first place where two values part, in document order. */
export function firstDifference(recorded: unknown, derived: unknown): Difference {
  return compare(recorded as Json, derived as Json, '') ?? { path: '', message: 'the same values in another order' };
}

function compare(recorded: Json | undefined, derived: Json | undefined, path: string): Difference | null {
  if (isContainer(recorded) && isContainer(derived) && Array.isArray(recorded) === Array.isArray(derived)) {
    return compareChildren(recorded, derived, path);
  }
  if (Object.is(recorded, derived)) return null;
  const message = `${path === '' ? 'the events' : path}: recorded ${show(recorded)}, derived ${show(derived)}`;
  return { path, message };
}

function compareChildren(recorded: JsonObject, derived: JsonObject, path: string): Difference | null {
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(derived)])) {
    const found = compare(own(recorded, key), own(derived, key), `${path}${pointerToken(key)}`);
    if (found !== null) return found;
  }
  return null;
}

const isContainer = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null;

function show(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
