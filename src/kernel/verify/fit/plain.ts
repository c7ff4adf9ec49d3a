import { isJsonList, type Json, type JsonObject } from '../../../model/json.ts';
import { sameJson } from '../same-json.ts';
import { cannotFit, demandAll, FITS, type Fitting, NOT_PROVABLE } from './answer.ts';
import { fitArray } from './array.ts';
import { type Domain, isTypeName, type Kind, lift, typeNames } from './domain.ts';
import { contains, fitInterval, numberBounds, sizeBounds } from './interval.ts';
import { fitObject, type Recurse } from './object.ts';
import { keyword, type Rooted } from './rooted.ts';

/** Keywords that speak only to values of one type. */
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

/** Keywords that are answered here or by the caller, and those that say nothing about a value. */
// biome-ignore format: one group a line
const SETTLED: ReadonlySet<string> = new Set([
  'type', 'const', 'enum', '$ref', 'allOf', 'anyOf', 'oneOf',
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength',
  'items', 'prefixItems', 'minItems', 'maxItems', 'properties', 'required', 'additionalProperties',
  '$schema', '$id', '$defs', 'definitions', '$comment', '$anchor', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly',
]);

/** A bound of an unexpected form (draft 4 wrote `exclusiveMinimum: true`) is a demand that is not understood. */
const NUMERIC: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
]);

/** Keywords whose meaning lies in their value alone, so that a producer who promises the same keeps it. */
const SELF_CONTAINED: ReadonlySet<string> = new Set([
  ...['pattern', 'format', 'multipleOf', 'uniqueItems', 'minProperties', 'maxProperties'],
]);

/** One domain against the consumer's own keywords, its references and unions apart. */
export function fitPlain(domain: Domain, consumer: Rooted, node: JsonObject, recurse: Recurse): Fitting {
  const typed = fitType(domain, node);
  // A value of the wrong type is reported as that and nothing else.
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
    if (domain.whole) return FITS;
    if (domain.literal === undefined) return NOT_PROVABLE;
  }
  const got = domain.literal !== undefined && domain.kind === 'number' ? String(domain.literal) : domain.kind;
  return cannotFit(`must be ${[...names].join(' or ')}, is ${got}`);
}

/** `const` and `enum`: the consumer accepts only listed values. */
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
  const one = lift(value);
  if (one.kind !== domain.kind) return false;
  if (domain.kind === 'number' && typeof value === 'number')
    return contains(domain.bounds, value) && (!domain.whole || Number.isInteger(value));
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

/** A demand that nothing here understands can only be met by a producer who makes the very same promise. */
function fitUnsettled(domain: Domain, node: JsonObject, name: string): Fitting {
  const kind = SPEAKS_TO.get(name);
  if (kind !== undefined && kind !== domain.kind) return FITS;
  const demand = node[name] ?? null;
  if (SETTLED.has(name)) return NUMERIC.has(name) && typeof demand !== 'number' ? NOT_PROVABLE : FITS;
  const promise = domain.node === undefined ? undefined : keyword(domain.node, name);
  return SELF_CONTAINED.has(name) && promise !== undefined && sameJson(promise, demand) ? FITS : NOT_PROVABLE;
}
