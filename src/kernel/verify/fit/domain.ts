import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import { between, type Interval, integerBounds, numberBounds, sizeBounds } from './interval.ts';
import { ANYTHING, below, FALSE_SCHEMA, keyword, type Rooted } from './rooted.ts';

/** A source of values: a schema, or a domain of one JSON type. */
export type Producer = Rooted | Domain;

/**
 * A superset of the values of one JSON type that a producer may yield. Keywords that are not understood here would only
 * narrow it, and an answer about more values also holds for fewer.
 */
export type Domain = ScalarDomain | NumberDomain | StringDomain | ArrayDomain | ObjectDomain;
export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

interface AnyDomain {
  /** The value, if there is only one. */
  readonly literal?: Json;
  /** The schema behind the domain. */
  readonly node?: JsonObject;
}
export interface ScalarDomain extends AnyDomain {
  readonly kind: 'null' | 'boolean';
}
export interface NumberDomain extends AnyDomain {
  readonly kind: 'number';
  readonly isInteger: boolean;
  readonly bounds: Interval;
}
export interface StringDomain extends AnyDomain {
  readonly kind: 'string';
  readonly length: Interval;
}
export interface ArrayDomain extends AnyDomain {
  readonly kind: 'array';
  readonly length: Interval;
  /** Number of items with a schema of their own; `rest` describes all others. */
  readonly places: number;
  readonly at: (place: number) => Producer;
  readonly rest: Producer;
}
export interface ObjectDomain extends AnyDomain {
  readonly kind: 'object';
  readonly keys: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  /** The producer of a key in `keys`. */
  readonly at: (key: string) => Producer;
  /** The producer of any other key; NOTHING if there is none. */
  readonly rest: Producer;
}

export const isDomain = (producer: Producer): producer is Domain => Object.hasOwn(producer, 'kind');
export const isNothing = (producer: Producer): boolean => !isDomain(producer) && producer.schema === false;

/** An object with exactly these fields. */
export function exactObjectDomain(fields: ReadonlyMap<string, Producer>): ObjectDomain {
  const keys = new Set(fields.keys());
  return { kind: 'object', keys, required: keys, at: (key) => fields.get(key) ?? FALSE_SCHEMA, rest: FALSE_SCHEMA };
}

/** A list with exactly these items. */
export function exactList(items: readonly Producer[]): ArrayDomain {
  const length = between(items.length, items.length);
  return {
    kind: 'array',
    length,
    places: items.length,
    at: (place) => items[place] ?? FALSE_SCHEMA,
    rest: FALSE_SCHEMA,
  };
}

/** The domain of a single value. */
export function literalDomain(literal: Json): Domain {
  if (literal === null) return { kind: 'null', literal };
  if (typeof literal === 'boolean') return { kind: 'boolean', literal };
  if (typeof literal === 'number')
    return { kind: 'number', literal, isInteger: Number.isInteger(literal), bounds: between(literal, literal) };
  if (typeof literal === 'string') {
    const length = codePoints(literal);
    return { kind: 'string', literal, length: between(length, length) };
  }
  if (isJsonList(literal)) return { ...exactList(literal.map(literalDomain)), literal };
  const keys = new Set(Object.keys(literal));
  const at = (key: string): Producer => literalDomain(literal[key] ?? null);
  return { kind: 'object', literal, keys, required: keys, at, rest: FALSE_SCHEMA };
}

/** Counts characters as JSON Schema does, not UTF-16 units. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const KINDS: readonly Kind[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** The domains of a schema's own keywords, without references and unions. The schema yields a value of one of them. */
export function domainsOf(source: Rooted): readonly Domain[] {
  const { schema } = source;
  if (schema === false) return [];
  const node = schema === true ? {} : schema;
  const kinds = kindsOf(node);
  const constant = keyword(node, 'const');
  const listed = constant === undefined ? keyword(node, 'enum') : [constant];
  if (isJsonList(listed)) return listed.map(literalDomain).filter(({ kind }) => kinds.includes(kind));
  return kinds.flatMap((kind) => domainOf(source, node, kind));
}

export const isTypeName = (name: string): boolean => name === 'integer' || KINDS.some((kind) => kind === name);

/** The JSON types that a schema admits; all if it names none or an unknown one. */
function kindsOf(node: JsonObject): readonly Kind[] {
  const names = typeNames(node);
  if (names === null || ![...names].every(isTypeName)) return KINDS;
  return KINDS.filter((kind) => names.has(kind) || (kind === 'number' && names.has('integer')));
}

/** The `type` keyword as a set, plus `null` for OpenAPI's `nullable`; null if it is absent or malformed. */
export function typeNames(node: JsonObject): ReadonlySet<string> | null {
  const type = keyword(node, 'type');
  const names = typeof type === 'string' ? [type] : type;
  if (!isJsonList(names) || !names.every((name) => typeof name === 'string')) return null;
  return new Set(keyword(node, 'nullable') === true ? [...names, 'null'] : names);
}

function domainOf(source: Rooted, node: JsonObject, kind: Kind): readonly Domain[] {
  switch (kind) {
    case 'null':
      return [literalDomain(null)];
    case 'boolean':
      return [literalDomain(true), literalDomain(false)];
    case 'number': {
      const names = typeNames(node);
      const isInteger = names?.has('integer') === true && !names.has('number');
      const bounds = numberBounds(node);
      return [{ kind, node, isInteger: isInteger, bounds: isInteger ? integerBounds(bounds) : bounds }];
    }
    case 'string':
      return [{ kind, node, length: sizeBounds(node, 'minLength', 'maxLength') }];
    case 'array':
      return [arrayOf(source, node)];
    case 'object':
      return [objectOf(source, node)];
  }
}

function arrayOf(source: Rooted, node: JsonObject): ArrayDomain {
  const first = keyword(node, 'prefixItems');
  const items = isJsonList(first) ? first.map((item) => below(source, item) ?? ANYTHING) : [];
  const rest = below(source, keyword(node, 'items')) ?? ANYTHING;
  const size = sizeBounds(node, 'minItems', 'maxItems');
  const length = rest.schema === false ? between(size.min, Math.min(size.max, items.length)) : size;
  return { kind: 'array', node, length, places: items.length, at: (place) => items[place] ?? rest, rest };
}

function objectOf(source: Rooted, node: JsonObject): ObjectDomain {
  const properties = keyword(node, 'properties');
  const declared = isJsonObject(properties) ? properties : {};
  const demanded = keyword(node, 'required');
  const required = new Set(isJsonList(demanded) ? demanded.filter((key) => typeof key === 'string') : []);
  const patterned = keyword(node, 'patternProperties') !== undefined;
  const rest = patterned ? ANYTHING : (below(source, keyword(node, 'additionalProperties')) ?? ANYTHING);
  const at = (key: string): Producer =>
    Object.hasOwn(declared, key) ? (below(source, declared[key]) ?? ANYTHING) : rest;
  return { kind: 'object', node, keys: new Set([...Object.keys(declared), ...required]), required, at, rest };
}
