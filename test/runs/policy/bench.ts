/** Runs under policies: the shipped ones over a risk profile, or a few lines of Cedar that a test is about. */
import {
  type Authorizer,
  cedarAuthorizer,
  type PolicySource,
  shippedPolicies,
} from '../../../src/adapters/cedar/index.ts';
import type { EventOf, EventType, RunEvent } from '../../../src/model/event.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import type { PlanStep } from '../../../src/model/plan.ts';
import type { PolicyRequest } from '../../../src/model/policy-request.ts';
import type { RiskProfileName } from '../../../src/model/risk-profile.ts';
import type { ToolSpec } from '../../../src/model/tool.ts';
import { type Behaviour, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

export const SHIPPED: Authorizer = cedarAuthorizer(shippedPolicies());

export const cedar = (text: string): Authorizer => {
  const source: PolicySource = { file: 'test.cedar', text };
  return cedarAuthorizer([source]);
};

export const PERMIT_ALL = '@id("all") permit (principal, action, resource);';

/** A tool of one kind of action. One that is not only free changes something. */
export function doing(
  action: string,
  more: Partial<ToolSpec> & { readonly execute?: Behaviour } = {},
): Partial<ToolSpec> & { readonly execute?: Behaviour } {
  return { ...more, hazards: { action, ...more.hazards } };
}

/** What changes something: a person is asked because of its action, not because of its mode. */
export const CHANGES: Partial<ToolSpec> = { approval_mode: 'local_write', side_effect: true };

export function underProfile(
  profile: RiskProfileName,
  tools: NonNullable<RigOptions['tools']>,
  steps: readonly PlanStep[],
  world: RigOptions['world'] = {},
): Rig {
  return rig({
    tools,
    plans: [planOf(steps)],
    agent: (agent) => ({ ...agent, boundary: { ...agent.boundary, profile } }),
    world: { ...world, policy: { calls: SHIPPED, ...world.policy } },
  });
}

/** One call under a profile, from request to rest. */
export async function oneCall(
  profile: RiskProfileName,
  tool: NonNullable<RigOptions['tools']>[string],
  params: JsonObject = {},
): Promise<{ readonly bench: Rig; readonly outcome: Awaited<ReturnType<Rig['invoke']>> }> {
  const bench = underProfile(profile, { act: { produces: ['done'], ...tool } }, [{ id: 'a', tool: 'act', params }]);
  return { bench, outcome: await bench.invoke() };
}

export const eventsOf = <T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] =>
  events.filter((event): event is RunEvent & EventOf<T> => event.type === type);

/** It waits for a person, and nothing has been sent. */
export const WAITING: JsonObject = { status: 'awaiting_gate', suspended: { code: 'CONFIRM_REQUIRED' } };

/** Rules as code, so that a test can say when they change their mind or fail. */
export function asked(
  rule: (request: PolicyRequest) => 'permit' | 'forbid',
): Authorizer & { readonly requests: PolicyRequest[] } {
  const requests: PolicyRequest[] = [];
  return {
    version: 'code@1',
    requests,
    decide: (request) => {
      requests.push(request);
      return { effect: rule(request), determining: ['code'], reasons: [], gates: [], errors: [] };
    },
  };
}
