import type { FaultCode } from '../model/fault/fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json/json.ts';
import { jsonAt } from '../model/json/json-at.ts';
import { pointerToken } from '../model/json/pointer.ts';
import type { Problem } from '../model/json/problem.ts';
import type { Confirmed } from '../model/tool/observation.ts';
import type { ToolOutcome, ToolSpec } from '../model/tool/tool.ts';
import { type AnsweredCall, checkAnswer } from './categories/check-answer.ts';
import { assessmentReason } from './evaluators/evaluator.ts';

/** Schema keywords, apart from `properties`, that may have checked a key. */
const MAY_DECLARE: readonly string[] = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
  'patternProperties',
  'unevaluatedProperties',
];

/**
 * The parts of a valid value that its schema checks. If an object schema lists its properties and allows others, those
 * others are not confirmed. This holds for the top level only: an open nested object is confirmed together with the
 * property that contains it.
 */
function confirmedBySchema(schema: JsonObject, value: Json): Confirmed {
  const listed = listedOnly(schema);
  if (listed === null || !isJsonObject(value)) return 'all';
  const keys = Object.keys(value);
  const declared = keys.filter((key) => Object.hasOwn(listed, key));
  return declared.length === keys.length ? 'all' : declared.map(pointerToken);
}

/** Caches the listed properties by schema, because a registered schema does not change. */
const listings: WeakMap<JsonObject, JsonObject | typeof LOOKS_FURTHER> = new WeakMap();
const LOOKS_FURTHER = 'looks further';

/** The properties that the schema lists, if it checks nothing else; null if it may have checked any key. */
function listedOnly(schema: JsonObject): JsonObject | null {
  let listing = listings.get(schema);
  if (listing === undefined) {
    listing = readListing(schema) ?? LOOKS_FURTHER;
    listings.set(schema, listing);
  }
  return listing === LOOKS_FURTHER ? null : listing;
}

function readListing(schema: JsonObject): JsonObject | null {
  const { additionalProperties: rest, properties } = schema;
  if (!isJsonObject(properties) || (rest !== undefined && rest !== true)) return null;
  return MAY_DECLARE.some((keyword) => Object.hasOwn(schema, keyword)) ? null : properties;
}

/** The failure of an observation: the tool's own outcome, or an answer that did not pass verification. */
type FailureKind = Exclude<ToolOutcome, 'ok'> | 'verification_failed';

export interface ObservationCase {
  readonly spec: ToolSpec;
  readonly outcome: ToolOutcome;
  readonly raw: Json;
  /** The tool's output schema, compiled. */
  readonly check: (value: Json) => readonly Problem[];
  /** The call, for the rules of the tool's category. */
  readonly call?: AnsweredCall;
  /** The expected effect of this call, beyond the shape of the answer. */
  readonly expect?: Expectation;
}

/** A rule with its own name and version, because its confirmations are committed under that id. */
export interface Expectation {
  /** `name@version` */
  readonly id: string;
  confirm(value: Json): { readonly confirmed: Confirmed } | { readonly problems: readonly Problem[] };
}

type Verification = { readonly ok: true; readonly confirmed: Confirmed; readonly validator: string } | Refusal;

interface Refusal {
  readonly ok: false;
  readonly failure: FailureKind;
  readonly problems: readonly Problem[];
  readonly validator: string;
}

/** Validator id of values that only the output schema checked. */
const OUTPUT_SCHEMA = 'output_schema@1';

const FAILURE_CODES: Readonly<Record<FailureKind, FaultCode>> = {
  error: 'tool_failed',
  timeout: 'step_timeout',
  denied: 'permission_denied',
  expired: 'credential_expired',
  malformed: 'tool_result_invalid',
  empty: 'tool_result_invalid',
  cancelled: 'tool_failed',
  verification_failed: 'tool_result_invalid',
};

/**
 * Verifies an observation: either it may be committed, or it is recorded as a failure of its kind. A check that throws
 * confirms nothing.
 */
export function verifyObservation(observation: ObservationCase): Verification {
  const { spec, outcome, raw, expect } = observation;
  if (outcome !== 'ok') return refuse(OUTPUT_SCHEMA, outcome, `${spec.name} answered with ${outcome}`);
  let problems: readonly Problem[];
  try {
    problems = observation.check(raw);
  } catch (error) {
    return broken(OUTPUT_SCHEMA, error);
  }
  if (problems.length > 0) {
    return { ok: false, failure: isEmpty(raw) ? 'empty' : 'malformed', problems, validator: OUTPUT_SCHEMA };
  }
  if (spec.rules !== undefined && observation.call !== undefined) {
    const refused = byCategory(spec, raw, observation.call);
    if (refused !== null) return refused;
  }
  if (expect !== undefined) return confirmBy(expect, raw);
  return { ok: true, confirmed: confirmedBySchema(spec.output_schema, raw), validator: OUTPUT_SCHEMA };
}

/** Applies the rules of the tool's category to an answer that fits its schema. */
function byCategory(spec: ToolSpec, raw: Json, call: AnsweredCall): Refusal | null {
  const validator = `${spec.category}@1`;
  try {
    const problems = checkAnswer(spec, raw, call);
    return problems.length === 0 ? null : { ok: false, failure: 'verification_failed', problems, validator };
  } catch (error) {
    return broken(validator, error);
  }
}

function confirmBy(expect: Expectation, raw: Json): Verification {
  let answer: ReturnType<Expectation['confirm']>;
  try {
    answer = expect.confirm(raw);
  } catch (error) {
    return broken(expect.id, error);
  }
  if ('problems' in answer) {
    if (answer.problems.length === 0)
      return refuse(expect.id, 'verification_failed', `${expect.id} did not confirm the answer`);
    return { ok: false, failure: 'verification_failed', problems: answer.problems, validator: expect.id };
  }
  const { confirmed } = answer;
  const astray = confirmed === 'all' ? undefined : confirmed.find((path) => jsonAt(raw, path) === undefined);
  if (astray !== undefined)
    return refuse(expect.id, 'verification_failed', `${expect.id} confirmed ${astray}, which is not there`);
  return { ok: true, confirmed, validator: expect.id };
}

function refuse(validator: string, failure: FailureKind, message: string): Refusal {
  return { ok: false, failure, problems: [{ code: FAILURE_CODES[failure], path: '', message }], validator };
}

function broken(validator: string, error: unknown): Refusal {
  const problem: Problem = {
    code: 'evaluator_failed',
    path: '',
    message: `${validator} failed: ${assessmentReason(error)}`,
  };
  return { ok: false, failure: 'malformed', problems: [problem], validator };
}

/** Tells an empty answer from a malformed one. Called only if the schema rejects the answer. */
function isEmpty(raw: Json): boolean {
  if (raw === null || raw === '') return true;
  return typeof raw === 'object' && Object.keys(raw).length === 0;
}
