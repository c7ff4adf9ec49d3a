import { Fault } from '../model/fault.ts';
import { policyDecision, whyForbidden } from '../model/policy-decision.ts';
import type { GateRequest } from '../model/policy-request.ts';
import type { KernelEnv } from './env.ts';
import { impossible } from './reaction.ts';
import type { OpenGate, RunState } from './state.ts';

/** Who wants to decide, and what they have shown to be. */
export interface GateDecider {
  readonly name: string;
  readonly roles: readonly string[];
}

/** The policies may refuse a decider whom the gate itself would take; they cannot admit one whom it would not. */
export function assertPolicyAdmits(env: KernelEnv, state: RunState, gate: OpenGate, decider: GateDecider): void {
  const { calls } = env.policy;
  if (calls === undefined) return;
  const decision = policyDecision(calls, [gateRequest(state, gate, decider)], env.hash);
  if (decision.effect === 'permit') return;
  throw new Fault('permission_denied', `${decider.name} may not decide gate ${gate.name}: ${whyForbidden(decision)}`);
}

function gateRequest(state: RunState, { name, kind }: OpenGate, decider: GateDecider): GateRequest {
  const { manifest, intake, id } = state;
  if (manifest === null || intake.identity === null) throw impossible('a gate before the run has begun', state);
  const { agent, environment } = manifest;
  return {
    action: 'decide_gate',
    principal: { agent, user: decider.name, roles: decider.roles, tenant: id.tenantId },
    resource: { name, kind, requester: intake.identity.actor },
    context: { environment, risk: intake.risk },
  };
}
