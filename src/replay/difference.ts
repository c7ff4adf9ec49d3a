import type { Json, JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';
import { pointerToken } from '../model/pointer.ts';

export interface Difference {
  readonly path: string;
  readonly message: string;
}

/** The first place where two values part, in document order. */
export function firstDifference(recorded: unknown, derived: unknown): Difference {
  return findDifference(recorded, derived) ?? { path: '', message: 'the same values in another order' };
}

type Sides = readonly [string, string];

/** The same for values that may say the same; `sides` is what each of them is called. */
export function findDifference(a: unknown, b: unknown, sides: Sides = ['recorded', 'derived']): Difference | null {
  return compare(a as Json, b as Json, '', sides);
}

function compare(a: Json | undefined, b: Json | undefined, path: string, sides: Sides): Difference | null {
  if (isContainer(a) && isContainer(b) && Array.isArray(a) === Array.isArray(b)) {
    return compareChildren(a, b, path, sides);
  }
  if (Object.is(a, b)) return null;
  const [left, right] = sides;
  const message = `${path === '' ? 'the events' : path}: ${left} ${show(a)}, ${right} ${show(b)}`;
  return { path, message };
}

function compareChildren(a: JsonObject, b: JsonObject, path: string, sides: Sides): Difference | null {
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = compare(own(a, key), own(b, key), `${path}${pointerToken(key)}`, sides);
    if (found !== null) return found;
  }
  return null;
}

const isContainer = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null;

function show(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
