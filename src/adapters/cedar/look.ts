import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import { Fault } from '../../model/fault.ts';
import { deepFreeze } from '../../model/freeze.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type {
  CallCircumstances,
  CallRequest,
  GateRequest,
  PolicyPrincipal,
  PolicyRequest,
  PolicyTool,
} from '../../model/policy-request.ts';
import { printable } from '../../model/printable.ts';
import type { LookedAt } from './looked-at.ts';
import { type CedarValues, cedarValues } from './values.ts';
import type { Keys, Wanted } from './wanted-tables.ts';

/** What the policies look at of a request. It is all that a ruling can depend on, and a request is made of it alone. */
export type Looked = LookedCall | GateRequest;

/** Apart from who acts with what, none of it is the request's own: whoever keeps it need not fear that it changes. */
export interface LookedCall {
  readonly action: 'call_tool';
  readonly principal: PolicyPrincipal;
  readonly resource: PolicyTool;
  readonly plain: Plain;
  readonly args: CedarValues | null;
  readonly evidence: CedarValues | null;
  readonly remaining: Readonly<Record<string, number>>;
}

/** The parts of the circumstances that are not documents. Two with the same names hold the same where the values are. */
export interface Plain {
  readonly names: readonly string[];
  /** One for each name; undefined where there is no such part. */
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

/** What policies look at is settled once, and then found in request after request. */
export function lookingAt(seen: LookedAt): (request: PolicyRequest) => Looked {
  const lookAtCall = lookingAtCalls(seen);
  return (request) => {
    if (request.action === 'call_tool') return lookAtCall(request);
    if (request.action === 'decide_gate') return request;
    // An action that nobody knows is nothing to decide about.
    throw new Fault('input_invalid', `there are no rules about ${printable(String(Reflect.get(request, 'action')))}`);
  };
}

function lookingAtCalls(seen: LookedAt): (request: CallRequest) => LookedCall {
  const parts = Object.entries(PLAIN).map(([name, read]) => ({ name, read, keys: seen.keys(name) }));
  const looked = parts.filter(({ keys }) => keys?.size !== 0);
  const names = looked.map(({ name }) => name);
  const amounts = seen.keys('remaining');
  const [ofArgs, ofEvidence] = [seen.tables('arguments'), seen.tables('evidence')];
  return ({ principal, resource, context }) => {
    const plain = { names, values: looked.map(({ read, keys }) => read(context, keys)) };
    const args = lookedTables(context.arguments, ofArgs);
    const evidence = lookedTables(context.evidence as JsonObject, ofEvidence);
    const remaining = wholeAmounts(context.remaining, amounts);
    return { action: 'call_tool', principal, resource, plain, args, evidence, remaining };
  };
}

/** What of one part is looked at; undefined where there is no such part. */
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

/** One for all where nothing is found, which is the rule. */
const NO_NAMES: string[] = deepFreeze([]);

const isYes = (value: Json): boolean => value === true;
const isNoAnswer = (value: Json): boolean => typeof value !== 'boolean';

/** A tool that found something says so with a field, whatever the type of its evidence. */
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

const lookedTables = (document: JsonObject, wanted: Wanted): CedarValues | null =>
  wanted.looked.length === 0 ? null : cedarValues(document, wanted);

const NO_AMOUNTS: Readonly<Record<string, number>> = Object.freeze({});

/** Budgets count in whole units; half of one is none left. */
function wholeAmounts(remaining: Readonly<Record<string, number>>, keys: Keys): Readonly<Record<string, number>> {
  if (keys?.size === 0) return NO_AMOUNTS;
  const whole: Record<string, number> = {};
  for (const name of keys ?? Object.keys(remaining)) {
    if (!Object.hasOwn(remaining, name)) continue;
    const amount = Math.floor(remaining[name] ?? Number.NaN);
    if (Number.isSafeInteger(amount)) whole[name] = amount;
  }
  return whole;
}
