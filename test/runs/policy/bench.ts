/** Runs under policies: the shipped ones with a risk profile, or Cedar text from a test. */
import { isDeepStrictEqual } from 'node:util';
import {
  type Authorizer,
  cedarAuthorizer,
  type PolicySource,
  shippedPolicies,
} from '../../../src/adapters/cedar/index.ts';
import type { EventOf, EventType, RunEvent } from '../../../src/model/events/event.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import type { Boundary } from '../../../src/model/policy/boundary.ts';
import type { PolicyRequest } from '../../../src/model/policy/policy-request.ts';
import { RISK_PROFILES, type RiskProfileName } from '../../../src/model/policy/risk.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import { type Behaviour, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

export const SHIPPED: Authorizer = cedarAuthorizer(shippedPolicies());

export const cedar = (text: string): Authorizer => {
  const source: PolicySource = { file: 'test.cedar', text };
  return cedarAuthorizer([source]);
};

export const PERMIT_ALL = '@id("all") permit (principal, action, resource);';

/** A tool with this kind of action. */
export function toolForAction(
  action: string,
  more: Partial<ToolSpec> & { readonly execute?: Behaviour } = {},
): Partial<ToolSpec> & { readonly execute?: Behaviour } {
  return { ...more, hazards: { action, ...more.hazards } };
}

/** A tool with side effects whose mode alone needs no approval. */
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
    agent: (agent) => ({ ...agent, boundary: { ...agent.boundary, profile, tools: withGates(agent, profile, tools) } }),
    world: { ...world, policy: { calls: SHIPPED, ...world.policy } },
  });
}

/** The bounds of a profile that an agent names: its actions that need an approval wait at the gate of the boundary. */
function withGates(
  { boundary }: AgentSpec,
  profile: RiskProfileName,
  tools: NonNullable<RigOptions['tools']>,
): Boundary['tools'] {
  const asks = ({ hazards }: Partial<ToolSpec>): boolean =>
    RISK_PROFILES[profile].needs_approval.includes(hazards?.action ?? '');
  const needs_approval = Object.entries(tools).flatMap(([name, spec]) => (asks(spec) ? [name] : []));
  return { ...boundary.tools, needs_approval };
}

/** One call under a profile, run until it stops. */
export async function invokeOneCall(
  profile: RiskProfileName,
  tool: NonNullable<RigOptions['tools']>[string],
  params: JsonObject = {},
): Promise<{ readonly bench: Rig; readonly outcome: Awaited<ReturnType<Rig['invoke']>> }> {
  const bench = underProfile(profile, { act: { produces: ['done'], ...tool } }, [{ id: 'a', tool: 'act', params }]);
  return { bench, outcome: await bench.invoke() };
}

export const PARAMS = { amount: 80 };

/** Answers that rule out every condition of the five profiles. */
export const ANSWERS: JsonObject = {
  account_holder: 'agt_worker',
  payment_change: false,
  policy_exception: false,
  regulated_category: false,
  access_authorized: true,
  ungrounded_claim: false,
  source_policy_conflict: false,
  secret_exposed: false,
  tests_passed: true,
  repository_authorized: true,
  production_impact: false,
  budget_limit: 100,
  approval_chain: ['cfo'],
  vendor_risk_conflict: false,
  contract_ambiguity: false,
  security_incident: false,
};

/** A trusted lookup, under a free action of the profile, that answers conditions. */
export const lookup = (profile: RiskProfileName, found: JsonObject = ANSWERS): ReturnType<typeof toolForAction> =>
  toolForAction(RISK_PROFILES[profile].free[0] ?? '', {
    trusted: true,
    about: 'every_call',
    conditions: Object.fromEntries(Object.keys(found).map((field) => [field, `/${field}`])),
    execute: () => found,
  });

/** One call under a profile, after a lookup that answers conditions. */
export async function callAfterLookup(
  profile: RiskProfileName,
  tool: ReturnType<typeof toolForAction>,
  params: JsonObject = PARAMS,
  found: JsonObject = ANSWERS,
): ReturnType<typeof invokeOneCall> {
  const steps = [
    { id: 'look', tool: 'look' },
    { id: 'a', tool: 'act', params, depends_on: ['look'] },
  ];
  const bench = underProfile(profile, { look: lookup(profile, found), act: { produces: ['done'], ...tool } }, steps);
  return { bench, outcome: await bench.invoke() };
}

export const eventsOf = <T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] =>
  events.filter((event): event is RunEvent & EventOf<T> => event.type === type);

/** The run waits for approval, and nothing has been sent. */
export const WAITING: JsonObject = { status: 'awaiting_gate', suspended: { code: 'CONFIRM_REQUIRED' } };

/** Policies as code, so that a test controls when they change or fail. `requests` holds each request once. */
export function codeAuthorizer(
  rule: (request: PolicyRequest) => 'permit' | 'forbid',
): Authorizer & { readonly requests: PolicyRequest[] } {
  const requests: PolicyRequest[] = [];
  return {
    version: 'code@1',
    requests,
    decide: (request) => {
      if (!requests.some((earlier) => isDeepStrictEqual(earlier, request))) requests.push(request);
      return { effect: rule(request), determining: ['code'], reasons: [], gates: [], errors: [] };
    },
  };
}
