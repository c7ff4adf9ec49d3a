import { z } from 'zod';
import { Fault } from '../fault/fault.ts';
import { exact, exactObject, JsonRecord } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { Name, Statement } from '../json/name.ts';
import { parse } from '../json/parse.ts';
import { AcceptanceCriterion, SingleCall } from '../plan/goal.ts';
import type { AgentSpec } from './agent.ts';
import { Identity } from './identity.ts';

/** `long_running` adds the session contract: pins, heartbeat, a hard end, progress envelopes. */
export const RUN_MODES = ['standard', 'long_running'] as const;
export type RunMode = (typeof RUN_MODES)[number];
export const RunMode: z.ZodType<RunMode> = z.enum(RUN_MODES);

/** The minimum duration of a long-running session. A smaller value is probably in the wrong unit. */
export const LONG_RUNNING_MS_MIN = 3_600_000;

/** A goal as the requester states it. Intake adds an id and, if they are missing, criteria. */
export interface GoalRequest {
  readonly statement: string;
  readonly acceptance_criteria?: readonly AcceptanceCriterion[];
  readonly required_fields?: readonly string[];
  /** Sensitive data scopes the run has to read. A person releases each of them first. */
  readonly data_scopes?: readonly string[];
}
export const GoalRequest: z.ZodType<GoalRequest> = exactObject({
  statement: Statement,
  acceptance_criteria: z.array(AcceptanceCriterion).exactOptional(),
  required_fields: z.array(Name).exactOptional(),
  data_scopes: z.array(Name).exactOptional(),
});

export interface RuntimeRequest {
  readonly max_session_duration_ms?: number;
  readonly heartbeat_interval_ms?: number;
  readonly progress_interval_ms?: number;
}
export const RuntimeRequest: z.ZodType<RuntimeRequest> = exactObject({
  max_session_duration_ms: z.int().positive().exactOptional(),
  heartbeat_interval_ms: z.int().positive().exactOptional(),
  progress_interval_ms: z.int().positive().exactOptional(),
});

/** The request for a run. */
export interface RunRequest {
  readonly mode: RunMode;
  readonly tenant_id: string;
  readonly agent: string;
  readonly intent: string;
  readonly goal: GoalRequest;
  readonly inputs?: JsonObject;
  /** Requests this single call instead of a plan. It passes all layers like any other call; there is no fallback. */
  readonly call?: SingleCall;
  readonly identity: Identity;
  readonly runtime?: RuntimeRequest;
}
export const RunRequest: z.ZodType<RunRequest> = exact(
  z
    .strictObject({
      mode: RunMode,
      tenant_id: Name,
      agent: Name,
      intent: Name,
      goal: GoalRequest,
      inputs: JsonRecord.exactOptional(),
      call: SingleCall.exactOptional(),
      identity: Identity,
      runtime: RuntimeRequest.exactOptional(),
    })
    .refine(({ tenant_id, identity }) => tenant_id === identity.tenant_id, {
      message: 'must be the tenant of the identity',
      path: ['tenant_id'],
    }),
);

/** Parses a run request. A long-running session needs at least `LONG_RUNNING_MS_MIN`. */
export function parseRunRequest(value: unknown): RunRequest {
  const request = parse(RunRequest, value, 'envelope_invalid');
  const duration = request.runtime?.max_session_duration_ms;
  if (request.mode === 'long_running' && (duration === undefined || duration < LONG_RUNNING_MS_MIN)) {
    const asked = duration === undefined ? 'no duration' : `${duration} ms`;
    throw new Fault('session_duration_too_short', `a long-running session needs one hour or more, not ${asked}`, {
      path: '/runtime/max_session_duration_ms',
    });
  }
  return request;
}

/** The short form of a run request: a goal and an identity. */
export interface ShortRequest {
  readonly goal: string | GoalRequest;
  readonly identity: Identity;
  /** If absent, an agent with one intent uses that one, and other agents classify the request. */
  readonly intent?: string;
  readonly inputs?: JsonObject;
  /** Defaults to `standard`. */
  readonly mode?: RunMode;
  readonly runtime?: RuntimeRequest;
}
const ShortRequest: z.ZodType<ShortRequest> = exactObject({
  goal: z.union([Statement, GoalRequest]),
  identity: Identity,
  intent: Name.exactOptional(),
  inputs: JsonRecord.exactOptional(),
  mode: RunMode.exactOptional(),
  runtime: RuntimeRequest.exactOptional(),
});

/** The placeholder for a missing intent. No agent declares it, so intake classifies the request. */
const UNNAMED_INTENT = 'unclassified';

/** Expands the short form to a full run request. */
export function expandRequest({ name, intents }: Pick<AgentSpec, 'name' | 'intents'>, input: unknown): RunRequest {
  const { goal, identity, intent, mode = 'standard', ...rest } = parse(ShortRequest, input, 'envelope_invalid');
  const only = intents.length === 1 ? intents[0]?.intent : undefined;
  return {
    ...rest,
    mode,
    tenant_id: identity.tenant_id,
    agent: name,
    intent: intent ?? only ?? UNNAMED_INTENT,
    goal: typeof goal === 'string' ? { statement: goal } : goal,
    identity,
  };
}
