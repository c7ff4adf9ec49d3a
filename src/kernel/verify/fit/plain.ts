import { isJsonList, type Json, type JsonObject } from '../../../model/json/json.ts';
import { sameJson } from '../../../model/json/json-at.ts';
import { cannotFit, demandAll, FITS, type Fitting, NOT_PROVABLE } from './answer.ts';
import { fitArray, fitObject, type Recurse } from './containers.ts';
import { type Domain, isTypeName, type Kind, literalDomain, typeNames } from './domain.ts';
import { contains, fitInterval, numberBounds, sizeBounds } from './interval.ts';
import { keyword, type Rooted } from './rooted.ts';

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
