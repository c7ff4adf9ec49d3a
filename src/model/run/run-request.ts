import { z } from 'zod';
import { Fault } from '../fault/fault.ts';
import { exact, exactObject, JsonRecord } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { Name, Statement } from '../json/name.ts';
import { parse, parseAt } from '../json/parse.ts';
import { AcceptanceCriterion, SingleCall } from '../plan/goal.ts';
import { type AgentSpec, scopesOf } from './agent.ts';
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
  /** The conversation that the message belongs to. It is recorded with the run. */
  readonly thread?: string;
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
      thread: Name.exactOptional(),
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

/** The default duration of a run, including waits for people. */
export const STANDARD_RUN_MS: number = 24 * LONG_RUNNING_MS_MIN;

/**
 * A user by name, for hosts that grant no scopes one by one. The user may call every tool of the agent that their roles
 * permit; without roles these are the read-only tools. Pass an `Identity` to state scopes and an expiry.
 */
export interface RequestUser {
  readonly name: string;
  readonly tenant: string;
  readonly roles?: readonly string[];
}
export const RequestUser: z.ZodType<RequestUser> = exactObject({
  name: Name,
  tenant: Name,
  roles: z.array(Name).exactOptional(),
});

interface RequestDetails {
  /** If absent, an agent with one intent uses that one, and other agents classify the request. */
  readonly intent?: string;
  readonly inputs?: JsonObject;
  /** Defaults to `standard`. */
  readonly mode?: RunMode;
  readonly runtime?: RuntimeRequest;
  /** The conversation that the message belongs to. It is recorded with the run. */
  readonly thread?: string;
}

/** The words of the user, or a goal with criteria and data scopes. `goal` is another name of `message`. */
type Asking =
  | { readonly message: string | GoalRequest; readonly goal?: never }
  | { readonly goal: string | GoalRequest; readonly message?: never };

/** The user for whom the run acts. `identity` is another name of `user`. */
type Acting =
  | { readonly user: Identity | RequestUser; readonly identity?: never }
  | { readonly identity: Identity | RequestUser; readonly user?: never };

/** A request to an agent: a message and a user. */
export type StartRequest = RequestDetails & Asking & Acting;

interface ReadRequest extends RequestDetails {
  readonly message?: string | GoalRequest;
  readonly goal?: string | GoalRequest;
  readonly user?: JsonObject;
  readonly identity?: JsonObject;
}
const Message: z.ZodType<string | GoalRequest> = z.union([Statement, GoalRequest]);
const ReadRequest: z.ZodType<ReadRequest> = exactObject({
  message: Message.exactOptional(),
  goal: Message.exactOptional(),
  user: JsonRecord.exactOptional(),
  identity: JsonRecord.exactOptional(),
  intent: Name.exactOptional(),
  inputs: JsonRecord.exactOptional(),
  mode: RunMode.exactOptional(),
  runtime: RuntimeRequest.exactOptional(),
  thread: Name.exactOptional(),
});

/** The placeholder for a missing intent. No agent declares it, so intake classifies the request. */
const UNNAMED_INTENT = 'unclassified';

/** Returns whether a request is a full envelope, which names its agent and its tenant itself. */
export const isEnvelope = (request: object): boolean =>
  !('message' in request) && !('user' in request) && ('agent' in request || 'tenant_id' in request);

/** Expands a request to the full envelope. */
export function expandRequest(agent: AgentSpec, input: unknown, now: number): RunRequest {
  const read = parse(ReadRequest, input, 'envelope_invalid');
  const { intent, inputs, mode = 'standard', runtime, thread } = read;
  const [, asked] = onlyOne(read, 'message', 'goal');
  const [option, user] = onlyOne(read, 'user', 'identity');
  const endsAt = Math.min(now + (runtime?.max_session_duration_ms ?? STANDARD_RUN_MS), Number.MAX_SAFE_INTEGER);
  const identity = isNamedUser(user)
    ? identityOf(agent, parseAt(`/${option}`, RequestUser, user, 'envelope_invalid'), endsAt)
    : parseAt(`/${option}`, Identity, user, 'envelope_invalid');
  assertIntent(agent, intent);
  const only = agent.intents.length === 1 ? agent.intents[0]?.intent : undefined;
  return {
    mode,
    tenant_id: identity.tenant_id,
    agent: agent.name,
    intent: intent ?? only ?? UNNAMED_INTENT,
    goal: typeof asked === 'string' ? { statement: asked } : asked,
    identity,
    ...(inputs === undefined ? {} : { inputs }),
    ...(runtime === undefined ? {} : { runtime }),
    ...(thread === undefined ? {} : { thread }),
  };
}

/** Refuses an intent that the agent does not declare, so that a misspelt name does not become a question to the user. */
function assertIntent({ name, intents }: AgentSpec, intent: string | undefined): void {
  if (intent === undefined || intents.some((declared) => declared.intent === intent)) return;
  const known = intents.map((declared) => declared.intent).join(', ');
  throw new Fault('envelope_invalid', `agent ${name} has no intent ${intent}; it has ${known}`, { path: '/intent' });
}

/** Returns the value of an option that has two names, with the name used. Refuses both and none. */
function onlyOne<Option extends keyof ReadRequest, Alias extends keyof ReadRequest>(
  read: ReadRequest,
  option: Option,
  alias: Alias,
): readonly [string, NonNullable<ReadRequest[Option] | ReadRequest[Alias]>] {
  const { [option]: value, [alias]: other } = read;
  if (value != null && other != null) {
    const message = `${alias} is another name of ${option}: give one of them`;
    throw new Fault('envelope_invalid', message, { path: `/${alias}` });
  }
  if (value != null) return [option, value];
  if (other != null) return [alias, other];
  throw new Fault('envelope_invalid', `${option} is missing`, { path: `/${option}` });
}

const isNamedUser = (user: object): boolean => 'name' in user || 'tenant' in user;

/** The identity of a user by name: the scopes of the agent's tools, until the run has to end. */
function identityOf(
  { boundary, access }: AgentSpec,
  { name, tenant, roles = [] }: RequestUser,
  expires_at: number,
): Identity {
  const scopes = boundary.tools.allowed.flatMap((tool) => scopesOf(access, tool));
  return { actor: name, tenant_id: tenant, roles, scopes: [...new Set(scopes)], expires_at };
}
