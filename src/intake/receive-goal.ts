import { z } from 'zod';
import type { AgentSpec } from '../model/agent.ts';
import { deepFreeze } from '../model/freeze.ts';
import { type AcceptanceCriterion, Goal } from '../model/goal.ts';
import { isName } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import type { RunRequest } from '../model/run-request.ts';
import type { Ids } from '../ports/ids.ts';
import type { Answer } from './answer.ts';
import { openEnvelope } from './envelope.ts';
import { sessionLimits } from './session-limits.ts';

export interface Arrival {
  readonly ids: Ids;
  readonly now: number;
  /** The longest a healthy run of this agent may be silent; see `longestVerdictGapMs`. */
  readonly verdictGapMs: number;
}

/** Where neither the request nor its intent says what counts as done, the words of the goal have to. */
const GOAL_REACHED: AcceptanceCriterion = Object.freeze({
  id: 'goal_reached',
  statement: 'What the goal asks for has been done.',
  rank: 'primary',
});

/** A run for one call is done when its tool has answered. */
const CALL_ANSWERED: AcceptanceCriterion = Object.freeze({
  id: 'call_answered',
  statement: 'The tool has answered.',
  rank: 'primary',
});

/**
 * Turns a request into the goal a run is for. A Fault means that there is no run at all: nothing was started and
 * nothing is to be stored.
 */
export function receiveGoal(request: unknown, agent: AgentSpec, arrival: Arrival): Answer<'goal_received'> {
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

/** A place in the envelope, so that a fault names the path the caller wrote. */
const Placed: z.ZodType<{ readonly goal: Goal }> = z.strictObject({ goal: Goal });

/** Frozen: whatever a run comes to want, it is measured against what was asked. */
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
  // Each part was held to the same when the envelope was opened or the agent declared.
  if (acceptance_criteria === undefined && call === undefined && isName(goal_id)) return deepFreeze(goal);
  return deepFreeze(parse(Placed, { goal }, 'envelope_invalid').goal);
}
