import { isJsonList, type JsonObject } from '../../../model/json.ts';
import { type Fitting, ifPresent, NOT_PROVABLE, under } from './answer.ts';
import type { ArrayDomain } from './domain.ts';
import { fitInterval, sizeBounds } from './interval.ts';
import type { Recurse } from './object.ts';
import { below, keyword, type Rooted } from './rooted.ts';

export function fitArray(domain: ArrayDomain, consumer: Rooted, node: JsonObject, recurse: Recurse): Fitting[] {
  const fittings = [fitInterval(domain.length, sizeBounds(node, 'minItems', 'maxItems'), 'a list of length')];
  const wanted = consumerOfItems(consumer, node);
  if (wanted === null) return [...fittings, NOT_PROVABLE];
  const described = Math.max(domain.places, wanted.places.length);
  for (let place = 0; place < Math.min(described, domain.length.max); place += 1) {
    const source = place < domain.places ? domain.at(place) : domain.rest;
    const fitting = recurse(source, wanted.places[place] ?? wanted.rest);
    fittings.push(domain.length.min > place ? under(`/${place}`, fitting) : ifPresent(fitting));
  }
  if (domain.length.max > described) {
    const fitting = recurse(domain.rest, wanted.rest);
    fittings.push(domain.length.min > described ? under(`/${described}`, fitting) : ifPresent(fitting));
  }
  return fittings;
}

/** Null for shapes of older drafts, where `items` may be a list. */
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
