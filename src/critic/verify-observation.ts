import type { FaultCode } from '../model/fault.ts';
import type { Json } from '../model/json.ts';
import { jsonAt } from '../model/json-at.ts';
import type { Confirmed } from '../model/observation.ts';
import type { Problem } from '../model/problem.ts';
import type { ToolOutcome, ToolSpec } from '../model/tool.ts';
import type { AnsweredCall } from './categories/answer-check.ts';
import { checkAnswer } from './categories/check-answer.ts';
import { confirmedBySchema } from './confirmed-parts.ts';
import { reasonOf } from './reason-of.ts';

/** How an observation failed: as the tool itself failed, or with an answer that is not what the call was for. */
export type FailureKind = Exclude<ToolOutcome, 'ok'> | 'verification_failed';

export interface ObservationCase {
  readonly spec: ToolSpec;
  readonly outcome: ToolOutcome;
  readonly raw: Json;
  /** The tool's output schema, compiled. */
  readonly check: (value: Json) => readonly Problem[];
  /** The call itself, for the rules of the tool's category. */
  readonly call?: AnsweredCall;
  /** What this very call was to bring about, beyond the shape of the answer. */
  readonly expect?: Expectation;
}

/** A rule with a name and version of its own, because what it confirms is committed in its name. */
export interface Expectation {
  /** `name@version` */
  readonly id: string;
  confirm(value: Json): { readonly confirmed: Confirmed } | { readonly problems: readonly Problem[] };
}

export type Verification = { readonly ok: true; readonly confirmed: Confirmed; readonly validator: string } | Refusal;

export interface Refusal {
  readonly ok: false;
  readonly failure: FailureKind;
  readonly problems: readonly Problem[];
  readonly validator: string;
}

/** The validator of what only the output schema has looked at. */
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
 * Turns an observation into something that may be committed, or into a failure recorded as what it was. A check
 * that throws confirms nothing.
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

/** An answer in the right shape may still lack what its category asks for. */
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
  const problem: Problem = { code: 'evaluator_failed', path: '', message: `${validator} failed: ${reasonOf(error)}` };
  return { ok: false, failure: 'malformed', problems: [problem], validator };
}

/** Nothing came back, as opposed to something wrong. Only asked where the schema does not allow it. */
function isEmpty(raw: Json): boolean {
  if (raw === null || raw === '') return true;
  return typeof raw === 'object' && Object.keys(raw).length === 0;
}
