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
import { parseRunRequest, type RunRequest } from '../model/run/run-request.ts';
import type { Ids } from '../ports/clock.ts';
import type { IntakeAnswer } from './check-policy.ts';
import { sessionLimits } from './session-limits.ts';

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
  };
}

/** Nests the goal as in the envelope, so that a fault has the path that the caller wrote. */
const Placed: z.ZodType<{ readonly goal: Goal }> = exactObject({ goal: Goal });

/** Builds the goal and freezes it, because the run is measured against it. */
function makeGoal(envelope: RunRequest, agent: AgentSpec, goal_id: string): Goal {
  const { statement, acceptance_criteria, required_fields, data_scopes } = envelope.goal;
  const declared = agent.intents.find(({ intent }) => intent === envelope.intent);
  const { call } = envelope;
  const usual = call === undefined ? (declared?.criteria ?? [GOAL_REACHED]) : [CALL_ANSWERED];
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
