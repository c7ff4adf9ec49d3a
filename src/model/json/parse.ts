import type { z } from 'zod';
import { Fault, type FaultCode } from '../fault/fault.ts';
import { guardInput } from '../fault/guard-input.ts';
import { unknownMessage } from '../text/nearest.ts';
import { assertJson, findAbsent, JSON_LIMITS, type JsonLimits } from './json.ts';
import { pointerToken } from './pointer.ts';
import { printable } from './printable.ts';

type Issue = z.core.$ZodIssue;

/**
 * Parses an untrusted value: checks that it is bounded JSON, then applies the schema. The Fault names the first wrong
 * path and the number of other problems.
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, code: FaultCode, limits: JsonLimits = JSON_LIMITS): T {
  const [issues, data] = hold(schema, value, limits);
  const [first, ...rest] = issues;
  if (first === undefined) return data as T;
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`;
  throw new Fault(code, `${sentence(first, value, 'the value')}${more}`, { path: pathOf(first) });
}

/** The maximum number of problems that one message lists. */
const LISTED_MAX = 20;

/** Like `parse`, for a value that a developer wrote by hand: the message names the value and lists every problem. */
export function parseNamed<T>(name: string, schema: z.ZodType<T>, value: unknown, code: FaultCode): T {
  return parsedAt('', name, schema, value, code);
}

/** Like `parseNamed`, for a part of a larger document: the path of the fault starts at the root of that document. */
export function parseAt<T>(place: string, schema: z.ZodType<T>, value: unknown, code: FaultCode): T {
  return parsedAt(place, place.slice(1), schema, value, code);
}

function parsedAt<T>(place: string, name: string, schema: z.ZodType<T>, value: unknown, code: FaultCode): T {
  const [issues, data] = heldAt(place, schema, value);
  const [first] = issues;
  if (first === undefined) return data as T;
  const listed = issues
    .slice(0, LISTED_MAX)
    .map((issue) => sentence(withKnownFields(schema, issue), value, name, name));
  const more = issues.length > LISTED_MAX ? [`and ${issues.length - LISTED_MAX} more`] : [];
  throw new Fault(code, [...listed, ...more].join('\n'), { path: `${place}${pathOf(first)}` });
}

/** Adds `place` to the path of a Fault about a value that is not JSON. */
function heldAt<T>(place: string, schema: z.ZodType<T>, value: unknown): readonly [readonly Issue[], T | null] {
  try {
    return hold(schema, value, JSON_LIMITS);
  } catch (error) {
    if (!Fault.is(error) || error.path === undefined) throw error;
    throw new Fault(error.code, error.message, { path: `${place}${error.path}`, cause: error });
  }
}

function hold<T>(schema: z.ZodType<T>, value: unknown, limits: JsonLimits): readonly [readonly Issue[], T | null] {
  const absent = findAbsent(value, limits);
  const result = guardInput('parse', () => schema.safeParse(value))();
  if (!result.success) return [result.error.issues, null];
  // A schema may accept `undefined`, but the journal cannot store it.
  if (absent !== null) assertJson(value, limits);
  return [[], result.data];
}

/** Adds the known fields, with the nearest first, to the message about a field that is unknown. */
function withKnownFields(schema: z.ZodType, issue: Issue): Issue {
  if (issue.code !== 'unrecognized_keys') return issue;
  const known = fieldsAt(schema, issue.path);
  return known.length === 0 ? issue : { ...issue, message: unknownMessage(issue.keys, known, 'field') };
}

/** The fields of the object schema at a path; empty if the schema there is no single object. */
function fieldsAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  const def: unknown = definitionOf(schema, 'def');
  const inner = definitionOf(def, 'innerType');
  if (inner !== undefined) return fieldsAt(inner, path);
  const shape = definitionOf(def, 'shape');
  const [key, ...rest] = path;
  if (key === undefined) return typeof shape === 'object' && shape !== null ? Object.keys(shape) : [];
  const below = definitionOf(shape, key) ?? definitionOf(def, 'element') ?? definitionOf(def, 'valueType');
  return below === undefined ? [] : fieldsAt(below, rest);
}

const definitionOf = (holder: unknown, key: PropertyKey): unknown =>
  typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : undefined;

const pathOf = ({ path }: Issue): string => path.map((part) => pointerToken(String(part))).join('');

function sentence(issue: Issue, value: unknown, root: string, prefix = ''): string {
  const path = pathOf(issue);
  const where = path === '' ? root : `${prefix}${printable(path)}`;
  return `${where}: ${isMissing(issue, value) ? missing(issue) : printable(issue.message)}`;
}

const isMissing = ({ path }: Issue, value: unknown): boolean =>
  path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
    value,
  ) === undefined;

/** The words before the expected type in a message of the library. */
const EXPECTED = 'expected ';

/** Replaces the library's message about the received value with one about the expected value. */
function missing({ message }: Issue): string {
  const at = message.indexOf(EXPECTED);
  if (at < 0) return 'is missing';
  const expected = message.slice(at + EXPECTED.length).replace(', received undefined', '');
  return `is missing: expected ${printable(expected)}`;
}
