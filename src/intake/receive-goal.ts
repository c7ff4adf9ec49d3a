import type { z } from 'zod';
import { Fault } from '../model/fault/fault.ts';
import { exactObject } from '../model/json/exact.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json/json.ts';
import { isName } from '../model/json/name.ts';
import { parse } from '../model/json/parse.ts';
import { takeJson } from '../model/json/take-json.ts';
import { type AcceptanceCriterion, Goal } from '../model/plan/goal.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import { parseRunRequest, type RunRequest, type RuntimeRequest, STANDARD_RUN_MS } from '../model/run/run-request.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import type { Ids } from '../ports/clock.ts';
import type { IntakeAnswer } from './check-policy.ts';

/**
 * Validates an untrusted request against the envelope schema and its agent. A blank goal is valid: it becomes an empty
 * statement, and the run ends with a question to the user.
 */
function openEnvelope(request: unknown, agent: AgentSpec): RunRequest {
  const own = takeJson(request);
  const envelope = hasBlankGoal(own) ? openWithBlankGoal(own) : parseRunRequest(own);
  if (envelope.agent !== agent.name) {
    throw new Fault('envelope_invalid', `the request is for the agent ${envelope.agent}, not for ${agent.name}`, {
      path: '/agent',
    });
  }
  return envelope;
}

type BlankRequest = JsonObject & { readonly goal: JsonObject };

function hasBlankGoal(request: Json): request is BlankRequest {
  if (!isJsonObject(request) || !isJsonObject(request['goal'])) return false;
  const statement = request['goal']['statement'];
  return typeof statement === 'string' && statement.trim() === '';
}

/** Validates everything except the blank statement. */
function openWithBlankGoal(request: BlankRequest): RunRequest {
  const envelope = parseRunRequest({ ...request, goal: { ...request.goal, statement: 'nothing was said' } });
  return { ...envelope, goal: { ...envelope.goal, statement: '' } };
}

export interface GoalDeps {
  readonly ids: Ids;
  readonly now: number;
  /** The longest silence of a healthy run of this agent; see `longestVerdictGapMs`. */
  readonly verdictGapMs: number;
}

/** The criterion if neither the request nor its intent has one. */
const GOAL_REACHED: AcceptanceCriterion = Object.freeze({
  id: 'goal_reached',
  statement: 'What the goal asks for has been done.',
  rank: 'primary',
});

/** The criterion of a run for a single call. */
const CALL_ANSWERED: AcceptanceCriterion = Object.freeze({
  id: 'call_answered',
  statement: 'The tool has answered.',
  rank: 'primary',
});

/** Turns a request into the goal of a run. Throws a Fault before anything is started or stored. */
export function receiveGoal(request: unknown, agent: AgentSpec, arrival: GoalDeps): IntakeAnswer<'goal_received'> {
  const envelope = openEnvelope(request, agent);
  const limits = sessionLimits(envelope, arrival.now, arrival.verdictGapMs);
  const goal = makeGoal(envelope, agent, arrival.ids.next('goal'));
  return {
    type: 'goal_received',
    run_id: arrival.ids.next('run'),
    trace_id: arrival.ids.next('trace'),
    tenant_id: envelope.tenant_id,
    goal,
    inputs: deepFreeze(envelope.inputs ?? {}),
    identity: deepFreeze(envelope.identity),
    ...limits,
    ...(envelope.thread === undefined ? {} : { thread: envelope.thread }),
  };
}

/** Nests the goal as in the envelope, so that a fault has the path that the caller wrote. */
const Placed: z.ZodType<{ readonly goal: Goal }> = exactObject({ goal: Goal });

/** Builds the goal and freezes it, because the run is measured against it. */
function makeGoal(envelope: RunRequest, agent: AgentSpec, goal_id: string): Goal {
  const { statement, acceptance_criteria, required_fields, data_scopes } = envelope.goal;
  const declared = agent.intents.find(({ intent }) => intent === envelope.intent);
  const { call } = envelope;
  const usual = call === undefined ? (declared?.criteria ?? sharedCriteria(agent) ?? [GOAL_REACHED]) : [CALL_ANSWERED];
  const goal: Goal = {
    goal_id,
    statement,
    intent: envelope.intent,
    acceptance_criteria: [...(acceptance_criteria ?? usual)],
    ...(required_fields === undefined ? {} : { required_fields }),
    ...(data_scopes === undefined ? {} : { data_scopes }),
    ...(call === undefined ? {} : { call }),
  };
  if (statement === '') return deepFreeze({ ...goal, acceptance_criteria: [GOAL_REACHED] });
  // Skips the parse: all parts were validated with the envelope or the agent.
  if (acceptance_criteria === undefined && call === undefined && isName(goal_id)) return deepFreeze(goal);
  return deepFreeze(parse(Placed, { goal }, 'envelope_invalid').goal);
}

/** The criteria that all intents have in common: they apply before the intent is known. Null if the intents differ. */
function sharedCriteria({ intents }: AgentSpec): readonly AcceptanceCriterion[] | null {
  const [first, ...others] = intents.map(({ criteria }) => criteria);
  const isShared = others.every((criteria) => JSON.stringify(criteria) === JSON.stringify(first));
  return first !== undefined && others.length > 0 && isShared ? first : null;
}

/** The default heartbeat of a long-running session, if its tools are fast enough. */
export const HEARTBEAT_MS = 30_000;

interface SessionLimits {
  readonly expires_at: number;
  readonly heartbeat_ms: number | null;
  /** The interval of progress reports. Default: the heartbeat. */
  readonly progress_ms?: number;
  /** The duration of a long-running session, after which it ends. */
  readonly ttl_ms?: number;
}

/** Computes the latest end of a run and its heartbeat. */
export function sessionLimits(request: RunRequest, now: number, verdictGapMs: number): SessionLimits {
  const runtime = request.runtime ?? {};
  const durationMs = runtime.max_session_duration_ms ?? STANDARD_RUN_MS;
  if (!Number.isSafeInteger(now + durationMs)) {
    throw refuse('max_session_duration_ms', `a session cannot last ${durationMs} ms`);
  }
  const expires_at = now + durationMs;
  if (request.mode === 'standard') return { expires_at, heartbeat_ms: noHeartbeat(runtime) };
  const heartbeat_ms = heartbeat(runtime, durationMs, verdictGapMs);
  const progress_ms = runtime.progress_interval_ms ?? heartbeat_ms;
  return { expires_at, heartbeat_ms, progress_ms, ttl_ms: durationMs };
}

/** Refuses heartbeat and progress options for a standard run, which has no watchdog. */
function noHeartbeat(runtime: RuntimeRequest): null {
  for (const option of ['heartbeat_interval_ms', 'progress_interval_ms'] as const) {
    if (runtime[option] !== undefined) throw refuse(option, 'only a long-running session has one');
  }
  return null;
}

/**
 * Validates the heartbeat. The watchdog pauses a session after two silent intervals, so two intervals have to be longer
 * than the longest silence of a healthy run, and shorter than the session.
 */
function heartbeat(runtime: RuntimeRequest, durationMs: number, verdictGapMs: number): number {
  const asked = runtime.heartbeat_interval_ms;
  const leastMs = Math.floor(verdictGapMs / 2) + 1;
  const intervalMs = asked ?? Math.max(HEARTBEAT_MS, leastMs);
  if (intervalMs < leastMs) {
    const why = `a healthy run may be silent for ${verdictGapMs} ms, and two intervals of ${intervalMs} ms are not longer`;
    const fix = `ask for ${leastMs} ms or more, leave it out, or give the slowest tool less time or fewer retries`;
    throw refuse('heartbeat_interval_ms', `${why}: ${fix}`);
  }
  if (2 * intervalMs >= durationMs) {
    const why = `two intervals of ${intervalMs} ms do not fit into a session of ${durationMs} ms`;
    throw refuse('heartbeat_interval_ms', why);
  }
  return intervalMs;
}

function refuse(option: keyof RuntimeRequest, why: string): Fault {
  return new Fault('session_options_invalid', `${option}: ${why}`, { path: `/runtime/${option}` });
}

/** The time limits that determine how long a run can be silent between two rulings of the Critic. */
export interface Pace {
  /** How long after its intent a call may still be dispatched. */
  readonly dispatchWindowMs: number;
  /** The pause before the first retry; it doubles with each further one. */
  readonly retryBaseMs: number;
  /** The failures in a row after which a run retries no more. */
  readonly retriesMax: number;
  /** The longest planning, with the reading of the request or the review before it. */
  readonly planningMs: number;
  /** The models that write the open arguments of a step, and those that judge its result. */
  readonly stepModelsMs: number;
  /** The models that write and judge an answer, between two rulings on its sentences. */
  readonly answeringMs: number;
}

/** The retry policy stops doubling here. */
const DOUBLINGS_MAX = 16;

/**
 * The longest silence of a healthy run: one planning, one attempt of the slowest tool with the pause before it, or one
 * answer. Each ruling renews the heartbeat, that on a plan and the `retry` after an attempt too.
 */
export function longestVerdictGapMs(tools: readonly ToolSpec[], pace: Pace): number {
  const timeouts = new Map(tools.map(({ name, timeout_ms }) => [name, timeout_ms]));
  const attempts = tools.map((tool) => longestAttemptMs(tool, timeouts, pace));
  return Math.max(pace.planningMs, pace.stepModelsMs + Math.max(0, ...attempts), pace.answeringMs);
}

/** The pause before an attempt, the attempt itself, and the probe that checks its result before the ruling. */
function longestAttemptMs(tool: ToolSpec, timeouts: ReadonlyMap<string, number>, pace: Pace): number {
  const retries = tool.retries_max === 0 ? 0 : pace.retriesMax;
  const pauseMs = retries === 0 ? 0 : pace.retryBaseMs * 2 ** Math.min(retries - 1, DOUBLINGS_MAX);
  const { verify, reconcile } = tool.probes ?? {};
  const probes = [verify, reconcile].flatMap((probe) => (probe === undefined ? [] : [timeouts.get(probe) ?? 0]));
  return pauseMs + pace.dispatchWindowMs + tool.timeout_ms + Math.max(0, ...probes);
}
