import type { z } from 'zod';
import { Fault, type FaultCode } from './fault.ts';
import { assertJson, findAbsent, JSON_LIMITS, type JsonLimits } from './json.ts';
import { pointerToken } from './pointer.ts';
import { printable } from './printable.ts';

type Issue = z.core.$ZodIssue;

/**
 * The one way a stranger's value becomes one of our nouns: bounded JSON first, schema second,
 * and a Fault that names the first place that is wrong and how many more there are.
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, code: FaultCode, limits: JsonLimits = JSON_LIMITS): T {
  const [issues, data] = hold(schema, value, limits);
  const [first, ...rest] = issues;
  if (first === undefined) return data as T;
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`;
  throw new Fault(code, `${sentence(first, value, 'the value')}${more}`, { path: pathOf(first) });
}

/** As many as a person repairs in one go. */
const LISTED_MAX = 20;

/** The same for what a developer wrote by hand: called by its name, and with everything that is wrong with it. */
export function parseNamed<T>(name: string, schema: z.ZodType<T>, value: unknown, code: FaultCode): T {
  return parsedAt('', name, schema, value, code);
}

/** The same for a part of something greater, called by its place there: the fault leads to it from the top. */
export function parseAt<T>(place: string, schema: z.ZodType<T>, value: unknown, code: FaultCode): T {
  return parsedAt(place, place.slice(1), schema, value, code);
}

function parsedAt<T>(place: string, name: string, schema: z.ZodType<T>, value: unknown, code: FaultCode): T {
  const [issues, data] = heldAt(place, schema, value);
  const [first] = issues;
  if (first === undefined) return data as T;
  const listed = issues.slice(0, LISTED_MAX).map((issue) => sentence(issue, value, name, name));
  const more = issues.length > LISTED_MAX ? [`and ${issues.length - LISTED_MAX} more`] : [];
  throw new Fault(code, [...listed, ...more].join('\n'), { path: `${place}${pathOf(first)}` });
}

/** What is no JSON at all has its place in the greater whole as well. */
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
  const result = schema.safeParse(value);
  if (!result.success) return [result.error.issues, null];
  // A schema may put up with `undefined`; a journal cannot keep it.
  if (absent !== null) assertJson(value, limits);
  return [[], result.data];
}

const pathOf = ({ path }: Issue): string => path.map((part) => pointerToken(String(part))).join('');

function sentence(issue: Issue, value: unknown, whole: string, prefix = ''): string {
  const path = pathOf(issue);
  const where = path === '' ? whole : `${prefix}${printable(path)}`;
  return `${where}: ${isMissing(issue, value) ? missing(issue) : printable(issue.message)}`;
}

const isMissing = ({ path }: Issue, value: unknown): boolean =>
  path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
    value,
  ) === undefined;

/** The library speaks of what it received; a person wants to know what to add. */
function missing({ message }: Issue): string {
  const [, expected] = /expected (.+?)(?:, received undefined)?$/i.exec(message) ?? [];
  return expected === undefined ? 'is missing' : `is missing: expected ${printable(expected)}`;
}
