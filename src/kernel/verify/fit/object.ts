import { isJsonList, isJsonObject, type JsonObject } from '../../../model/json.ts';
import { pointerToken } from '../../../model/pointer.ts';
import { cannotFit, FITS, type Fitting, ifPresent, NOT_PROVABLE, under } from './answer.ts';
import { isNothing, type ObjectDomain, type Producer } from './domain.ts';
import { below, keyword, type Rooted } from './rooted.ts';

export type Recurse = (producer: Producer, consumer: Rooted) => Fitting;

/** What the consumer says about keys, and what it says about the value under each. */
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
    fittings.push(domain.required.has(key) ? under(pointerToken(key), fitting) : ifPresent(fitting));
  }
  if (!isNothing(domain.rest)) fittings.push(others === null ? NOT_PROVABLE : ifPresent(recurse(domain.rest, others)));
  return fittings;
}

/** What a key must be that `properties` does not name; null where a pattern would have to be matched to know. */
function consumerOfOthers(consumer: Rooted, node: JsonObject): Rooted | null {
  const others = keyword(node, 'additionalProperties');
  if (others === undefined) return { schema: true, root: consumer.root };
  return keyword(node, 'patternProperties') === undefined ? below(consumer, others) : null;
}
