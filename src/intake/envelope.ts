import type { AgentSpec } from '../model/agent.ts';
import { Fault } from '../model/fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { parseRunRequest, type RunRequest } from '../model/run-request.ts';
import { takeJson } from '../model/take-json.ts';

/**
 * Holds a stranger's request against the envelope's schema and against the agent it is for. A goal that says nothing
 * is not a broken envelope: it comes through as an empty statement, and the run hands back with a question.
 */
export function openEnvelope(request: unknown, agent: AgentSpec): RunRequest {
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

/** Everything but the missing words is held to the same schema. */
function openWithBlankGoal(request: BlankRequest): RunRequest {
  const envelope = parseRunRequest({ ...request, goal: { ...request.goal, statement: 'nothing was said' } });
  return { ...envelope, goal: { ...envelope.goal, statement: '' } };
}
