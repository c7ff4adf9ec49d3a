import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import { sameJson } from '../../../model/json/json-at.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import { cannotFit, demandAll, FITS, type Fitting, movePathsBelow, NOT_PROVABLE, ofOptionalPart } from './answer.ts';
import {
  type ArrayDomain,
  type Domain,
  isNothing,
  isTypeName,
  type Kind,
  literalDomain,
  type ObjectDomain,
  type Producer,
  typeNames,
} from './domain.ts';
import { contains, fitInterval, numberBounds, sizeBounds } from './interval.ts';
import { below, keyword, type Rooted } from './rooted.ts';

/** Keywords that apply to values of one type only. */
const SPEAKS_TO: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((k) => [k, 'number'] as const),
  ...['minLength', 'maxLength', 'pattern'].map((k) => [k, 'string'] as const),
  ...['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems'].map(
    (k) => [k, 'array'] as const,
  ),
  ...['contains', 'minContains', 'maxContains', 'unevaluatedItems'].map((k) => [k, 'array'] as const),
  ...['properties', 'required', 'additionalProperties', 'patternProperties'].map((k) => [k, 'object'] as const),
  ...['propertyNames', 'minProperties', 'maxProperties', 'unevaluatedProperties'].map((k) => [k, 'object'] as const),
  ...['dependencies', 'dependentRequired', 'dependentSchemas'].map((k) => [k, 'object'] as const),
]);

/** Keywords that are handled here or by the caller, and annotations. */
// biome-ignore format: one group a line
const SETTLED: ReadonlySet<string> = new Set([
  'type', 'const', 'enum', '$ref', 'allOf', 'anyOf', 'oneOf',
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength',
  'items', 'prefixItems', 'minItems', 'maxItems', 'properties', 'required', 'additionalProperties',
  '$schema', '$id', '$defs', 'definitions', '$comment', '$anchor', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly',
]);

/** Keywords with a number. Another form, such as `exclusiveMinimum: true` of draft 4, is not understood. */
const NUMERIC: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
]);

/** Keywords whose meaning depends only on their value, so a producer with the same keyword satisfies it. */
const SELF_CONTAINED: ReadonlySet<string> = new Set([
  ...['pattern', 'format', 'multipleOf', 'uniqueItems', 'minProperties', 'maxProperties'],
]);

/** Compares a domain with the consumer's own keywords, without references and unions. */
export function fitPlain(domain: Domain, consumer: Rooted, node: JsonObject, recurse: Recurse): Fitting {
  const typed = fitType(domain, node);
  // A wrong type is the only problem reported.
  if (typed.answer === 'cannot_fit') return typed;
  return demandAll([
    typed,
    ...fitListed(domain, node),
    ...fitOwnKind(domain, consumer, node, recurse),
    ...Object.keys(node).map((name) => fitUnsettled(domain, node, name)),
  ]);
}

function fitType(domain: Domain, node: JsonObject): Fitting {
  if (keyword(node, 'type') === undefined) return FITS;
  const names = typeNames(node);
  if (names === null || ![...names].every(isTypeName)) return NOT_PROVABLE;
  if (names.has(domain.kind)) return FITS;
  if (domain.kind === 'number' && names.has('integer')) {
    if (domain.isInteger) return FITS;
    if (domain.literal === undefined) return NOT_PROVABLE;
  }
  const got = domain.literal !== undefined && domain.kind === 'number' ? String(domain.literal) : domain.kind;
  return cannotFit(`must be ${[...names].join(' or ')}, is ${got}`);
}

/** Handles `const` and `enum`. */
function fitListed(domain: Domain, node: JsonObject): Fitting[] {
  const constant = keyword(node, 'const');
  const lists = [constant === undefined ? undefined : [constant], keyword(node, 'enum')];
  return lists.flatMap((listed) => {
    if (listed === undefined) return [];
    if (!isJsonList(listed)) return [NOT_PROVABLE];
    const { literal } = domain;
    if (literal === undefined)
      return listed.some((value) => mayYield(domain, value))
        ? [NOT_PROVABLE]
        : [cannotFit('is none of the listed values')];
    return listed.some((value) => sameJson(value, literal)) ? [FITS] : [cannotFit('is none of the listed values')];
  });
}

function mayYield(domain: Domain, value: Json): boolean {
  const one = literalDomain(value);
  if (one.kind !== domain.kind) return false;
  if (domain.kind === 'number' && typeof value === 'number')
    return contains(domain.bounds, value) && (!domain.isInteger || Number.isInteger(value));
  if (domain.kind === 'string' && one.kind === 'string') return contains(domain.length, one.length.min);
  return true;
}

function fitOwnKind(domain: Domain, consumer: Rooted, node: JsonObject, recurse: Recurse): Fitting[] {
  switch (domain.kind) {
    case 'null':
    case 'boolean':
      return [];
    case 'number':
      return [fitInterval(domain.bounds, numberBounds(node), 'a number')];
    case 'string':
      return [fitInterval(domain.length, sizeBounds(node, 'minLength', 'maxLength'), 'a text of length')];
    case 'array':
      return fitArray(domain, consumer, node, recurse);
    case 'object':
      return fitObject(domain, consumer, node, recurse);
  }
}

/** A keyword that is not understood is satisfied only by a producer with the same keyword. */
function fitUnsettled(domain: Domain, node: JsonObject, name: string): Fitting {
  const kind = SPEAKS_TO.get(name);
  if (kind !== undefined && kind !== domain.kind) return FITS;
  const demand = node[name] ?? null;
  if (SETTLED.has(name)) return NUMERIC.has(name) && typeof demand !== 'number' ? NOT_PROVABLE : FITS;
  const promise = domain.node === undefined ? undefined : keyword(domain.node, name);
  return SELF_CONTAINED.has(name) && promise !== undefined && sameJson(promise, demand) ? FITS : NOT_PROVABLE;
}

function fitArray(domain: ArrayDomain, consumer: Rooted, node: JsonObject, recurse: Recurse): Fitting[] {
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
function fitObject(domain: ObjectDomain, consumer: Rooted, node: JsonObject, recurse: Recurse): Fitting[] {
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
