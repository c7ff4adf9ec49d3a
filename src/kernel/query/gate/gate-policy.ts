import { ANYBODY_ELSE, type Deciders, type GatePolicy } from '../../../model/gate/gate.ts';
import type { GateTerms } from '../../../model/gate/gate-terms.ts';
import { policyDecision, whyForbidden } from '../../../model/policy/policy-decision.ts';
import type { GateRequest } from '../../../model/policy/policy-request.ts';
import type { KernelEnv } from '../../env.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { OpenGate } from '../../state/people-state.ts';
import type { RunState } from '../../state/run-state.ts';

/** The policy for gates of this name: the host's settings over the defaults. */
export function gatePolicy({ gates, limits }: KernelEnv, name: string): GatePolicy {
  return { ...ANYBODY_ELSE, ttlMs: limits.gateTtlMs, ...gates.get(name) };
}

/** The gates of a call that opens now: the people who may decide each, and their deadline. */
export const gateTerms = (env: KernelEnv, { now }: RunState, names: readonly string[]): readonly GateTerms[] =>
  names.map((name) => ({ name, deciders: decidersOf(env, name), expires_at: now + gatePolicy(env, name).ttlMs }));

export function decidersOf(env: KernelEnv, name: string): Deciders {
  const { roles, quorum, separation } = gatePolicy(env, name);
  return { roles, quorum, separation };
}

/** The person who wants to decide, with the roles they have proved. */
export interface GateDecider {
  readonly name: string;
  readonly roles: readonly string[];
}

/** The gate to decide: an open gate, or the one that a standing grant would open. */
type DecidedGate = Pick<OpenGate, 'name' | 'kind'>;

/** The reason why the policies refuse this decider, or null. They cannot admit one whom the gate itself refuses. */
export function whyNotAdmitted({ policy, hash }: KernelEnv, makeRequest: () => GateRequest): string | null {
  const { calls } = policy;
  if (calls === undefined) return null;
  const request = makeRequest();
  const decision = policyDecision(calls, [request], hash);
  if (decision.effect === 'permit') return null;
  const { principal, resource } = request;
  return `${principal.user} may not decide gate ${resource.name}: ${whyForbidden(decision)}`;
}

const NOT_BEGUN = { agent: 'not_begun', environment: 'production' } as const;

export function gateRequest(state: RunState, { name, kind }: DecidedGate, decider: GateDecider): GateRequest {
  const { manifest, intake, id } = state;
  if (intake.identity === null) throw impossibleEvent('a gate before the run has begun', state);
  // A scope gate is decided before the run has a manifest, so the policies get the strictest environment.
  const { agent, environment } = manifest ?? NOT_BEGUN;
  return {
    action: 'decide_gate',
    principal: { agent, user: decider.name, roles: decider.roles, tenant: id.tenantId },
    resource: { name, kind, requester: intake.identity.actor },
    context: { environment, risk: intake.risk },
  };
}
