import { Fault } from '../model/fault.ts';
import { isJsonList, type Json, type JsonObject } from '../model/json.ts';
import type { Confirmed } from '../model/observation.ts';
import { pointerToken } from '../model/pointer.ts';
import { tokensOf } from './verify/pointer-walk.ts';

/**
 * The part of a payload that its validator stands for, each value at the place where it was. Shares what it keeps.
 * A pointer to something the tool never returned is a claim without an observation, so it is refused.
 */
export function confirmedPart(raw: Json, confirmed: Confirmed): Json {
  if (confirmed === 'all') return raw;
  return pickOwnFields(raw, confirmed) ?? pick(raw, confirmed.map(tokensOf), 0);
}

/** The usual case, fields of an object by plain names, without taking pointers apart. Null where that is not so. */
function pickOwnFields(raw: Json, pointers: readonly string[]): JsonObject | null {
  if (typeof raw !== 'object' || raw === null || isJsonList(raw)) return null;
  const part: Record<string, Json> = {};
  for (const pointer of pointers) {
    const key = pointer.slice(1);
    const plain = pointer.lastIndexOf('/') === 0 && !pointer.includes('~') && key !== '__proto__';
    const field = plain && Object.hasOwn(raw, key) ? raw[key] : undefined;
    if (field === undefined) return null;
    part[key] = field;
  }
  return part;
}

type Paths = readonly (readonly string[])[];

function pick(value: Json, paths: Paths, depth: number): Json {
  if (paths.some((path) => path.length === depth)) return value;
  const byToken = Map.groupBy(paths, (path) => path[depth] ?? '');
  if (typeof value === 'object' && value !== null) {
    const part = isJsonList(value) ? pickItems(value, byToken, depth) : pickFields(value, byToken, depth);
    if (part !== null) return part;
  } else if (byToken.size === 0) return null;
  throw unobserved(paths, depth);
}

function pickFields(value: JsonObject, byToken: Map<string, Paths>, depth: number): JsonObject | null {
  const entries: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    const paths = byToken.get(key);
    if (paths !== undefined) entries.push([key, pick(value[key] ?? null, paths, depth + 1)]);
  }
  return entries.length === byToken.size ? Object.fromEntries(entries) : null;
}

/** Items keep their places, so they are confirmed from the first one on: a gap would have to be filled with something. */
function pickItems(value: readonly Json[], byToken: Map<string, Paths>, depth: number): readonly Json[] | null {
  const items: Json[] = [];
  for (let index = 0; index < byToken.size; index += 1) {
    const paths = byToken.get(String(index));
    const item = value[index];
    if (paths === undefined || item === undefined) return null;
    items.push(pick(item, paths, depth + 1));
  }
  return items;
}

function unobserved(paths: Paths, depth: number): Fault {
  const pointers = paths.map((path) => path.map(pointerToken).join(''));
  const path = (paths[0] ?? []).slice(0, depth).map(pointerToken).join('');
  const message = `not all of ${pointers.join(', ')} was observed; items of a list are confirmed from the first one on`;
  return new Fault('grounding_violation', message, { path });
}
