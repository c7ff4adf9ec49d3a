import type { CedarValueJson, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { printable } from '../../model/json/printable.ts';
import type {
  CallCircumstances,
  CallRequest,
  GateRequest,
  PolicyPrincipal,
  PolicyRequest,
  PolicyTool,
} from '../../model/policy/policy-request.ts';
import { part, pathOf } from './read-policies.ts';
import { type Keys, type ReadTables, wantedTables } from './relevant-policies.ts';
import { type CedarValues, cedarValues } from './values.ts';

/** The parts of `context` that a set of policies reads, by path, such as `profile` or `arguments.text`. */
export interface ReadParts {
  /** Returns an empty set if no policy reads the part. */
  keys(path: string): Keys;
  /** Returns which tables of a document the policies read. */
  tables(id: 'arguments' | 'evidence'): ReadTables;
}

const NOTHING: Keys = new Set();

/**
 * Finds the parts that policies read. Passing a value to the engine costs more than deciding about it, so only these
 * parts are passed: a long argument list that no policy mentions costs nothing. An unrecognised expression counts as
 * reading everything.
 */
export function findReadParts(policies: readonly PolicyJson[]): ReadParts {
  const seen = new Map<string, Set<string> | null>();
  for (const { conditions } of policies) recordReads(conditions, seen);
  // Caches the few paths that every call needs. All of them come from this code, so the map is bounded.
  const known = new Map<string, Keys>();
  const keys = (path: string): Keys => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = keysOf(seen, path);
    known.set(path, found);
    return found;
  };
  const wanted = {
    arguments: wantedTables((table) => keys(`arguments.${table}`)),
    evidence: wantedTables((table) => keys(`evidence.${table}`)),
  };
  return { keys, tables: (id) => wanted[id] };
}

type Seen = Map<string, Set<string> | null>;

/** Reading a record reads all its parts. */
function keysOf(seen: Seen, path: string): Keys {
  const above = path.split('.').slice(0, -1);
  const records = ['', ...above.map((_, last) => above.slice(0, last + 1).join('.'))];
  return records.some((prefix) => seen.get(prefix) === null) ? null : (seen.get(path) ?? allKeysIfSeen(seen, path));
}

const allKeysIfSeen = (seen: Seen, path: string): Keys => (seen.has(path) ? null : NOTHING);

function recordReads(node: unknown, seen: Seen): void {
  if (typeof node !== 'object' || node === null) return;
  const path = pathOf(node);
  if (path !== null) {
    seen.set(path, null);
    return;
  }
  for (const [operator, operands] of Object.entries(node)) {
    if (!recordNamedKeys(operator, operands, seen)) recordReads(operands, seen);
  }
}

const BY_NAME: readonly string[] = ['hasTag', 'getTag', 'contains', 'containsAny', 'containsAll'];

/** Records an operator that reads named keys of the context. Returns false if the expression is not of that form. */
function recordNamedKeys(operator: string, operands: unknown, seen: Seen): boolean {
  if (!BY_NAME.includes(operator)) return false;
  const path = pathOf(part(operands, 'left'));
  const names = literals(part(operands, 'right'));
  if (path === null || names === null) return false;
  const before = seen.get(path);
  if (before !== null) seen.set(path, new Set([...(before ?? []), ...names]));
  return true;
}

function literals(node: unknown): readonly string[] | null {
  const set = part(node, 'Set');
  const values = (Array.isArray(set) ? set : [node]).map((item: unknown) => part(item, 'Value'));
  return values.every((value): value is string => typeof value === 'string') ? values : null;
}

/** The part of a request that the policies read. A ruling can depend on nothing else. */
export type ReadRequest = ReadCall | GateRequest;

/** Everything except `principal` and `resource` is a copy, so that a cached value cannot change with its request. */
export interface ReadCall {
  readonly action: 'call_tool';
  readonly principal: PolicyPrincipal;
  readonly resource: PolicyTool;
  readonly plain: Plain;
  readonly args: CedarValues | null;
  readonly evidence: CedarValues | null;
  readonly remaining: Readonly<Record<string, number>>;
}

/** The circumstances that are not documents. Objects with the same `names` array can be compared by `values` alone. */
export interface Plain {
  readonly names: readonly string[];
  /** One value per name; undefined if there is none. */
  readonly values: readonly (CedarValueJson | undefined)[];
}

export function plainRecord({ names, values }: Plain): Record<string, CedarValueJson> {
  const record: Record<string, CedarValueJson> = {};
  for (const [place, name] of names.entries()) {
    const value = values[place];
    if (value !== undefined) record[name] = value;
  }
  return record;
}

/** Prepares a reader for requests, so that the parts to read are computed once. */
export function requestReader(seen: ReadParts): (request: PolicyRequest) => ReadRequest {
  const lookAtCall = callReader(seen);
  return (request) => {
    if (request.action === 'call_tool') return lookAtCall(request);
    if (request.action === 'decide_gate') return request;
    throw new Fault('input_invalid', `there are no rules about ${printable(String(Reflect.get(request, 'action')))}`);
  };
}

function callReader(seen: ReadParts): (request: CallRequest) => ReadCall {
  const parts = Object.entries(PLAIN).map(([name, read]) => ({ name, read, keys: seen.keys(name) }));
  const looked = parts.filter(({ keys }) => keys?.size !== 0);
  const names = looked.map(({ name }) => name);
  const amounts = seen.keys('remaining');
  const [ofArgs, ofEvidence] = [seen.tables('arguments'), seen.tables('evidence')];
  return ({ principal, resource, context }) => {
    const plain = { names, values: looked.map(({ read, keys }) => read(context, keys)) };
    const args = readTables(context.arguments, ofArgs);
    const evidence = readTables(context.evidence as JsonObject, ofEvidence);
    const remaining = remainingUnits(context.remaining, amounts);
    return { action: 'call_tool', principal, resource, plain, args, evidence, remaining };
  };
}

/** Reads one part of the circumstances; undefined if there is none. */
type Read = (context: CallCircumstances, keys: Keys) => CedarValueJson | undefined;

const REMAINING: CedarValueJson = { __entity: { type: 'Ambit::Longs', id: 'remaining' } };

const PLAIN: Readonly<Record<string, Read>> = {
  profile: ({ profile }) => profile ?? undefined,
  environment: ({ environment }) => environment,
  risk: ({ risk }) => risk,
  pending: ({ pending }, keys) => among(keys, pending),
  expected: ({ expected }, keys) => among(keys, expected),
  untrusted: ({ untrusted }, keys) => among(keys, untrusted),
  planned_after_untrusted: ({ planned_after_untrusted }) => planned_after_untrusted,
  conditions: ({ evidence }, keys) => fieldsOf(evidence, keys, isYes),
  unclear: ({ evidence }, keys) => fieldsOf(evidence, keys, isNoAnswer),
  remaining: () => REMAINING,
  approvals: ({ approvals }, keys) => among(keys, approvals),
};

function among(keys: Keys, names: readonly string[]): string[] {
  return names.length === 0 ? NO_NAMES : names.filter((name) => keys?.has(name) ?? true);
}

/** Shared, because most requests have no names. */
const NO_NAMES: string[] = deepFreeze([]);

const isYes = (value: Json): boolean => value === true;
const isNoAnswer = (value: Json): boolean => typeof value !== 'boolean';

/** The names of top-level evidence fields whose value satisfies `holds`, in evidence of any type. */
function fieldsOf(evidence: CallCircumstances['evidence'], keys: Keys, holds: (value: Json) => boolean): string[] {
  const documents = Object.values(evidence);
  if (documents.length === 0) return NO_NAMES;
  const fields = keys === null ? everyField(documents, holds) : fieldsAmong(keys, documents, holds);
  return fields.length === 0 ? NO_NAMES : fields;
}

function fieldsAmong(
  keys: ReadonlySet<string>,
  documents: readonly JsonObject[],
  holds: (value: Json) => boolean,
): string[] {
  const fields: string[] = [];
  for (const name of keys) {
    for (const found of documents) {
      if (!Object.hasOwn(found, name) || !holds(found[name] ?? null)) continue;
      fields.push(name);
      break;
    }
  }
  return fields;
}

function everyField(documents: readonly JsonObject[], holds: (value: Json) => boolean): string[] {
  const fields = new Set<string>();
  for (const found of documents) {
    for (const [name, value] of Object.entries(found)) if (holds(value)) fields.add(name);
  }
  return [...fields];
}

const readTables = (document: JsonObject, wanted: ReadTables): CedarValues | null =>
  wanted.tables.length === 0 ? null : cedarValues(document, wanted);

const NO_AMOUNTS: Readonly<Record<string, number>> = Object.freeze({});

/** Rounds remaining budgets down to whole units. */
function remainingUnits(remaining: Readonly<Record<string, number>>, keys: Keys): Readonly<Record<string, number>> {
  if (keys?.size === 0) return NO_AMOUNTS;
  const units: Record<string, number> = {};
  for (const name of keys ?? Object.keys(remaining)) {
    if (!Object.hasOwn(remaining, name)) continue;
    const amount = Math.floor(remaining[name] ?? Number.NaN);
    if (Number.isSafeInteger(amount)) units[name] = amount;
  }
  return units;
}
