import { z } from 'zod';
import { Fault } from '../fault/fault.ts';
import type { RunEvent } from './event.ts';
import { EVENT_SHAPES } from './event-schema.ts';

type Schema = z.core.$ZodTypes;
type Check = (value: unknown) => boolean;

interface Field {
  readonly name: string;
  readonly fits: Check;
}

/** The fields of one event type, each with a check that is derived from its schema. */
interface Fields {
  readonly required: readonly Field[];
  readonly optional: readonly Field[];
}

const isThere: Check = (value) => value !== undefined;
const isString: Check = (value) => typeof value === 'string';
const isText: Check = (value) => typeof value === 'string' && value !== '';
const isFlag: Check = (value) => typeof value === 'boolean';
const isRecord: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The nesting depth of a check: it covers the fields of an object, but not their fields. */
const DEPTH = 1;

/**
 * Derives a check that is much cheaper than the schema and never stricter. It compares kinds, ranges and listed values,
 * and ignores patterns, lengths, list items and values deeper than `depth`.
 */
function checkOf(schema: Schema, depth: number): Check {
  const { def } = schema._zod;
  switch (def.type) {
    case 'string':
      return z.safeParse(schema, '').success ? isString : isText;
    case 'number':
      // The kernel itself handles a cost that is out of range, so numbers inside an object are only checked to be
      // numbers.
      return depth < DEPTH ? Number.isFinite : numberCheck(schema as z.core.$ZodNumber);
    case 'boolean':
      return isFlag;
    case 'literal':
    case 'enum':
      return listedCheck(schema);
    case 'array':
      return Array.isArray;
    case 'object':
      return depth === 0 ? isRecord : objectCheck(def.shape, depth - 1);
    case 'record':
      return depth === 0 ? isRecord : recordCheck(checkOf(def.valueType as Schema, depth));
    case 'nullable': {
      const inner = checkOf(def.innerType as Schema, depth);
      return (value) => value === null || inner(value);
    }
    case 'optional':
      return checkOf(def.innerType as Schema, depth);
    case 'union': {
      const options = def.options.map((option) => checkOf(option as Schema, depth));
      return (value) => options.some((fits) => fits(value));
    }
    case 'custom':
      return (value) => def.fn(value) === true;
    case 'lazy':
      return isThere;
    default:
      throw new Fault('internal', `no check is derived from a schema of type ${def.type}`);
  }
}

function numberCheck({ _zod: { def } }: z.core.$ZodNumber): Check {
  const isNumber = 'format' in def && def.format === 'safeint' ? Number.isSafeInteger : Number.isFinite;
  let [from, above, to] = [-Infinity, -Infinity, Infinity];
  for (const { _zod } of (def.checks ?? []) as unknown as readonly z.core.$ZodChecks[]) {
    const bound = _zod.def;
    if (bound.check === 'less_than') to = Number(bound.value);
    if (bound.check === 'greater_than' && bound.inclusive) from = Number(bound.value);
    if (bound.check === 'greater_than' && !bound.inclusive) above = Number(bound.value);
  }
  return (value) =>
    isNumber(value) && (value as number) >= from && (value as number) > above && (value as number) <= to;
}

function listedCheck({ _zod }: Schema): Check {
  const values: ReadonlySet<unknown> = _zod.values ?? new Set();
  return (value) => values.has(value);
}

function objectCheck(shape: z.core.$ZodShape, depth: number): Check {
  const { required, optional } = fieldsOf(shape, depth);
  return (value) => isRecord(value) && misfit(value as Values, required, optional) === null;
}

/** Checks every value of a record, without allocating a list of them. */
function recordCheck(fits: Check): Check {
  if (fits === isThere) return isRecord;
  return (value) => {
    if (!isRecord(value)) return false;
    for (const name in value as object) if (!fits((value as Values)[name])) return false;
    return true;
  };
}

function fieldsOf(shape: z.core.$ZodShape, depth: number): Fields {
  const [required, optional]: [Field[], Field[]] = [[], []];
  for (const [name, schema] of Object.entries(shape)) {
    const field = { name, fits: checkOf(schema as Schema, depth) };
    (schema._zod.optin === undefined ? required : optional).push(field);
  }
  return { required, optional };
}

type Values = Readonly<Record<string, unknown>>;

const NONE: readonly Field[] = Object.freeze([]);

/** Returns the first field that does not fit, or null. Loops by index because it runs for every event of every step. */
function misfit(values: Values, required: readonly Field[], optional: readonly Field[]): string | null {
  for (let place = 0; place < required.length; place += 1) {
    const field = required[place] as Field;
    if (!field.fits(values[field.name])) return field.name;
  }
  for (let place = 0; place < optional.length; place += 1) {
    const field = optional[place] as Field;
    const value = values[field.name];
    if (value !== undefined && !field.fits(value)) return field.name;
  }
  return null;
}

const EVENT_FIELDS: ReadonlyMap<string, Fields> = new Map(
  Object.entries(EVENT_SHAPES).map(([type, shape]) => [type, fieldsOf(shape, DEPTH)]),
);

const valuesOf = (event: RunEvent): Values => event as unknown as Values;

/** The names of the required fields, apart from their checks: `step` reads them for every event. */
const REQUIRED_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  [...EVENT_FIELDS].map(([type, { required }]) => [type, required.map(({ name }) => name)]),
);

const NO_NAMES: readonly string[] = Object.freeze([]);

/** Returns the first required field that an event lacks, or null. */
export function missingField(event: RunEvent): string | null {
  const values = valuesOf(event);
  for (const name of REQUIRED_NAMES.get(event.type) ?? NO_NAMES) if (values[name] === undefined) return name;
  return null;
}

/** Returns the first required field that is missing or of another kind than its schema requires, or null. */
export function malformedRequired(event: RunEvent): string | null {
  return misfit(valuesOf(event), EVENT_FIELDS.get(event.type)?.required ?? NONE, NONE);
}

/** Returns the first malformed field of any value, including `type`, `at` and optional fields, or null. */
export function malformedField(value: unknown): string | null {
  if (!isRecord(value)) return 'type';
  const event = value as RunEvent;
  const fields = EVENT_FIELDS.get(event.type);
  if (fields === undefined) return 'type';
  if (!Number.isSafeInteger(event.at)) return 'at';
  return misfit(valuesOf(event), fields.required, fields.optional);
}
