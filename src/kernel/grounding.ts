import { Fault } from '../model/fault.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Confirmed } from '../model/observation.ts';
import { tokensOf } from './verify/pointer-walk.ts';

/**
 * The part of a payload that its validator stands for, each value at the place where it was. Shares what it keeps.
 * A pointer to something the tool never returned is a claim without an observation, so it is refused.
 */
export function confirmedPart(raw: Json, confirmed: Confirmed): Json {
  return confirmed === 'all' ? raw : pick(raw, confirmed.map(tokensOf), 0, '');
}

type Paths = readonly (readonly string[])[];

function pick(value: Json, paths: Paths, depth: number, at: string): Json {
  if (paths.some((path) => path.length === depth)) return value;
  const byToken = Map.groupBy(paths, (path) => path[depth] ?? '');
  if (typeof value !== 'object' || value === null) {
    if (byToken.size === 0) return null;
    throw unobserved(at, byToken);
  }
  return isList(value) ? pickItems(value, byToken, depth, at) : pickFields(value, byToken, depth, at);
}

function pickFields(value: JsonObject, byToken: Map<string, Paths>, depth: number, at: string): JsonObject {
  const entries: [string, Json][] = [];
  for (const [key, field] of Object.entries(value)) {
    const paths = byToken.get(key);
    if (paths !== undefined) entries.push([key, pick(field, paths, depth + 1, `${at}/${key}`)]);
  }
  if (entries.length < byToken.size) throw unobserved(at, byToken);
  return Object.fromEntries(entries);
}

/** Items keep their places, so they are confirmed from the first one on: a gap would have to be filled with something. */
function pickItems(value: readonly Json[], byToken: Map<string, Paths>, depth: number, at: string): readonly Json[] {
  const items: Json[] = [];
  for (let index = 0; index < byToken.size; index += 1) {
    const paths = byToken.get(String(index));
    const item = value[index];
    if (paths === undefined || item === undefined) throw unobserved(at, byToken);
    items.push(pick(item, paths, depth + 1, `${at}/${index}`));
  }
  return items;
}

function unobserved(at: string, byToken: Map<string, Paths>): Fault {
  const names = [...byToken.keys()].join(', ');
  return new Fault('grounding_violation', `confirmed ${names} under "${at}", which is not what was observed`, {
    path: at,
  });
}

const isList = (value: readonly Json[] | JsonObject): value is readonly Json[] => Array.isArray(value);
