import type { AgentSpec } from '../model/agent.ts';
import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { deepFreeze } from '../model/freeze.ts';
import type { JsonObject } from '../model/json.ts';
import type { Vault } from '../ports/vault.ts';
import { sealPlaces } from '../ports/vault-rules/seal-places.ts';

/** What somebody gave, with handles in place of what the agent declares to be secret or personal. */
export async function sealInputs(
  vault: Vault | undefined,
  { name, sealed_inputs }: Pick<AgentSpec, 'name' | 'sealed_inputs'>,
  tenantId: string,
  inputs: JsonObject,
): Promise<JsonObject> {
  if (sealed_inputs === undefined || sealed_inputs.length === 0) return inputs;
  if (vault === undefined) throw new Fault('input_missing', `${name} keeps inputs sealed and there is no vault`);
  return deepFreeze((await sealPlaces(vault, tenantId, inputs, sealed_inputs)) as JsonObject);
}

/** At the door: before the goal is written down anywhere. */
export async function sealGoal<Goal extends Extract<EventBody, { type: 'goal_received' }>>(
  vault: Vault | undefined,
  agent: AgentSpec,
  goal: Goal,
): Promise<Goal> {
  if (agent.sealed_inputs === undefined) return goal;
  return { ...goal, inputs: await sealInputs(vault, agent, goal.tenant_id, goal.inputs) };
}
