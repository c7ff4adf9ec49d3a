import { Fault } from '../model/fault.ts';
import { policyDecision, whyForbidden } from '../model/policy-decision.ts';
import type { GateRequest } from '../model/policy-request.ts';
import type { KernelEnv } from './env.ts';
import type { OpenGate } from './people-state.ts';
import { impossible } from './reaction.ts';
import type { RunState } from './state.ts';

/** Who wants to decide, and what they have shown to be. */
export interface GateDecider {
  readonly name: string;
  readonly roles: readonly string[];
}

/** What is decided: a gate that is open, or the one that a grant given in advance would open. */
export type DecidedGate = Pick<OpenGate, 'name' | 'kind'>;

/** The policies may refuse a decider whom the gate itself would take; they cannot admit one whom it would not. */
export function assertPolicyAdmits(env: KernelEnv, state: RunState, gate: DecidedGate, decider: GateDecider): void {
  const why = whyNotAdmitted(env, () => gateRequest(state, gate, decider));
  if (why !== null) throw new Fault('permission_denied', why);
}

/** Why the policies do not let this decider decide, or null. */
export function whyNotAdmitted({ policy, hash }: KernelEnv, asked: () => GateRequest): string | null {
  const { calls } = policy;
  if (calls === undefined) return null;
  const request = asked();
  const decision = policyDecision(calls, [request], hash);
  if (decision.effect === 'permit') return null;
  const { principal, resource } = request;
  return `${principal.user} may not decide gate ${resource.name}: ${whyForbidden(decision)}`;
}

const NOT_BEGUN = { agent: 'not_begun', environment: 'production' } as const;

export function gateRequest(state: RunState, { name, kind }: DecidedGate, decider: GateDecider): GateRequest {
  const { manifest, intake, id } = state;
  if (intake.identity === null) throw impossible('a gate before the run has begun', state);
  // Whoever opens a scope decides before the run has its manifest: the policies are asked as for the strictest place.
  const { agent, environment } = manifest ?? NOT_BEGUN;
  return {
    action: 'decide_gate',
    principal: { agent, user: decider.name, roles: decider.roles, tenant: id.tenantId },
    resource: { name, kind, requester: intake.identity.actor },
    context: { environment, risk: intake.risk },
  };
}
