import { isJsonList, isJsonObject, type JsonObject } from '../../../model/json/json.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import { cannotFit, FITS, type Fitting, movePathsBelow, NOT_PROVABLE, ofOptionalPart } from './answer.ts';
import { type ArrayDomain, isNothing, type ObjectDomain, type Producer } from './domain.ts';
import { fitInterval, sizeBounds } from './interval.ts';
import { below, keyword, type Rooted } from './rooted.ts';

export function fitArray(domain: ArrayDomain, consumer: Rooted, node: JsonObject, recurse: Recurse): Fitting[] {
  const fittings = [fitInterval(domain.length, sizeBounds(node, 'minItems', 'maxItems'), 'a list of length')];
  const wanted = consumerOfItems(consumer, node);
  if (wanted === null) return [...fittings, NOT_PROVABLE];
  const described = Math.max(domain.places, wanted.places.length);
  for (let place = 0; place < Math.min(described, domain.length.max); place += 1) {
    const source = place < domain.places ? domain.at(place) : domain.rest;
    const fitting = recurse(source, wanted.places[place] ?? wanted.rest);
    fittings.push(domain.length.min > place ? movePathsBelow(`/${place}`, fitting) : ofOptionalPart(fitting));
  }
  if (domain.length.max > described) {
    const fitting = recurse(domain.rest, wanted.rest);
    fittings.push(domain.length.min > described ? movePathsBelow(`/${described}`, fitting) : ofOptionalPart(fitting));
  }
  return fittings;
}

/** Null for older drafts of JSON Schema, in which `items` may be a list. */
function consumerOfItems(
  consumer: Rooted,
  node: JsonObject,
): { readonly places: readonly Rooted[]; readonly rest: Rooted } | null {
  const first = keyword(node, 'prefixItems') ?? [];
  const rest = below(consumer, keyword(node, 'items') ?? true);
  if (!isJsonList(first) || rest === null) return null;
  const places = first.map((item) => below(consumer, item));
  return places.every((place) => place !== null) ? { places, rest } : null;
}

export type Recurse = (producer: Producer, consumer: Rooted) => Fitting;

/** Compares the required keys and the value of each key. */
export function fitObject(domain: ObjectDomain, consumer: Rooted, node: JsonObject, recurse: Recurse): Fitting[] {
  return [...fitRequired(domain, node), ...fitFields(domain, consumer, node, recurse)];
}

function fitRequired(domain: ObjectDomain, node: JsonObject): Fitting[] {
  const demanded = keyword(node, 'required');
  if (demanded === undefined) return [];
  if (!isJsonList(demanded)) return [NOT_PROVABLE];
  return demanded.map((key) => {
    if (typeof key !== 'string') return NOT_PROVABLE;
    if (domain.required.has(key)) return FITS;
    const source = domain.keys.has(key) ? domain.at(key) : domain.rest;
    return isNothing(source) ? cannotFit(`must have the property "${key}"`) : NOT_PROVABLE;
  });
}

function fitFields(domain: ObjectDomain, consumer: Rooted, node: JsonObject, recurse: Recurse): Fitting[] {
  const properties = keyword(node, 'properties');
  if (properties !== undefined && !isJsonObject(properties)) return [NOT_PROVABLE];
  const declared = properties ?? {};
  const others = consumerOfOthers(consumer, node);
  const fittings: Fitting[] = [];
  for (const key of new Set([...domain.keys, ...Object.keys(declared)])) {
    const source = domain.keys.has(key) ? domain.at(key) : domain.rest;
    if (isNothing(source)) continue;
    const wanted = Object.hasOwn(declared, key) ? below(consumer, declared[key]) : others;
    const fitting = wanted === null ? NOT_PROVABLE : recurse(source, wanted);
    fittings.push(domain.required.has(key) ? movePathsBelow(pointerToken(key), fitting) : ofOptionalPart(fitting));
  }
  if (!isNothing(domain.rest))
    fittings.push(others === null ? NOT_PROVABLE : ofOptionalPart(recurse(domain.rest, others)));
  return fittings;
}

/** The schema of keys that `properties` does not name; null if `patternProperties` may apply. */
function consumerOfOthers(consumer: Rooted, node: JsonObject): Rooted | null {
  const others = keyword(node, 'additionalProperties');
  if (others === undefined) return { schema: true, root: consumer.root };
  return keyword(node, 'patternProperties') === undefined ? below(consumer, others) : null;
}
