import { Fault } from '../fault/fault.ts';
import { isJsonList, type Json, type JsonObject } from '../json/json.ts';
import { pointerKeys, pointerToken } from '../json/pointer.ts';
import type { Confirmed } from './observation.ts';

/**
 * Returns the part of a payload that its validator confirmed, with each value at its place. Kept values are shared, not
 * copied. A pointer to a value that the tool did not return is refused, since it would be a claim without an
 * observation.
 */
export function confirmedPart(raw: Json, confirmed: Confirmed): Json {
  if (confirmed === 'all') return raw;
  return pickOwnFields(raw, confirmed) ?? pick(raw, confirmed.map(pointerKeys), 0);
}

/** Fast path for own fields with plain names, without parsing pointers. Null if a pointer is not of that kind. */
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

/** List items are confirmed from the first one on, because a gap would need a placeholder. */
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
