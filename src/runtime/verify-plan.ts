import type { PlanAuthor } from '../model/events/plan-events.ts';
import { Fault } from '../model/fault/fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json/json.ts';
import { printable } from '../model/json/printable.ts';
import { takeProven } from '../model/json/take-json.ts';
import type { PlanPreview, PlanReport } from '../model/plan/plan-report.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import { expandRequest, isEnvelope, type RunRequest, type StartRequest } from '../model/run/run-request.ts';
import type { Clock } from '../ports/clock.ts';
import type { Host } from '../session/host.ts';
import { copyInput } from '../session/read-input.ts';

/** The run that a plan is verified for. */
export interface VerifyOptions {
  /** The agent whose plan it is. A runtime of several agents needs the name. */
  readonly agent?: string;
  /**
   * The request of the run. By default, a run with the intent of the plan, without inputs, for a user with every role
   * and scope of the agent.
   */
  readonly request?: Partial<StartRequest> | RunRequest;
  /** The author of the plan. By default, the one whose plans the graph admits, or `host` for an agent with templates. */
  readonly author?: PlanAuthor;
}

/** Previews a plan for a run that never begins: nothing is stored, and no model or tool is called. */
export async function previewForRequest(
  { host, clock }: { readonly host: Host; readonly clock: Clock },
  plan: unknown,
  options: VerifyOptions = {},
): Promise<PlanPreview> {
  const { agent } = host;
  const { agent: name, request = {}, author } = copyInput(options);
  if (name !== undefined && name !== agent.name) {
    const message = `there is no agent ${printable(String(name))} here; there is ${agent.name}`;
    throw new Fault('input_invalid', message, { path: '/agent' });
  }
  if (author !== undefined && author !== 'host' && author !== 'model')
    throw new Fault('input_invalid', 'author must be host or model', { path: '/author' });
  const proposal = takeProven(plan);
  const now = clock.nowMs();
  const asked = request as unknown as Json;
  if (!isJsonObject(asked)) throw new Fault('input_invalid', 'request must be an object', { path: '/request' });
  const goal = host.receive(
    isEnvelope(asked) ? asked : expandRequest(agent, withDefaults(agent, proposal, asked), now),
  );
  return await host.verifyPlan(goal, { proposal, ...(author === undefined ? {} : { author }) });
}

/** The report alone, without the calls. */
export const reportOf = ({ verdict, problems, checks, projected, plan, handover }: PlanPreview): PlanReport => ({
  verdict,
  problems,
  checks,
  projected,
  plan,
  handover,
});

/** Completes a request: a message with the intent of the plan, and a user with every role of the agent. */
function withDefaults({ intents, access }: AgentSpec, plan: Json, request: JsonObject): JsonObject {
  const planned = isJsonObject(plan) ? plan['intent'] : undefined;
  const intent = intents.some((declared) => declared.intent === planned) ? { intent: planned ?? null } : {};
  const name = 'plan_verification';
  const user = { user: { name, tenant: name, roles: Object.keys(access.role_authority) } };
  return {
    ...('message' in request || 'goal' in request ? {} : { message: 'Verify a plan.', ...intent }),
    ...('user' in request || 'identity' in request ? {} : user),
    ...request,
  };
}
