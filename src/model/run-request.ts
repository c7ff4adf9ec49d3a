import { z } from 'zod';
import { Fault } from './fault.ts';
import { AcceptanceCriterion } from './goal.ts';
import { Identity } from './identity.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Name, Statement } from './name.ts';
import { parse } from './parse.ts';
import { SingleCall } from './single-call.ts';

/** `long_running` adds the session contract: pins, heartbeat, a hard end, progress envelopes. */
export const RUN_MODES = ['standard', 'long_running'] as const;
export type RunMode = (typeof RUN_MODES)[number];
export const RunMode: z.ZodType<RunMode> = z.enum(RUN_MODES);

/** Below one hour a session contract makes no sense, and whoever asked for it probably meant another unit. */
export const LONG_RUNNING_MS_MIN = 3_600_000;

/** A goal as somebody words it. Goal intake gives it an id and, where they are missing, criteria. */
export interface GoalRequest {
  readonly statement: string;
  readonly acceptance_criteria?: readonly AcceptanceCriterion[];
  readonly required_fields?: readonly string[];
  /** Sensitive data that it has to read: a person opens each of these scopes first. */
  readonly data_scopes?: readonly string[];
}
export const GoalRequest: z.ZodType<GoalRequest> = z.strictObject({
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
export const RuntimeRequest: z.ZodType<RuntimeRequest> = z.strictObject({
  max_session_duration_ms: z.int().positive().exactOptional(),
  heartbeat_interval_ms: z.int().positive().exactOptional(),
  progress_interval_ms: z.int().positive().exactOptional(),
});

/** The envelope in which a run is asked for. */
export interface RunRequest {
  readonly mode: RunMode;
  readonly tenant_id: string;
  readonly agent: string;
  readonly intent: string;
  readonly goal: GoalRequest;
  readonly inputs?: JsonObject;
  /** Asks for this one call instead of a plan. It passes every layer like any other; nothing else is tried. */
  readonly call?: SingleCall;
  readonly identity: Identity;
  readonly runtime?: RuntimeRequest;
}
export const RunRequest: z.ZodType<RunRequest> = z
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
  });

/** Refuses a bad envelope, and one that asks for a long-running session without the time for it. */
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
