import { callPolicy } from '../kernel/call-policy.ts';
import type { Derived } from '../kernel/derive.ts';
import type { LocalEffect } from '../kernel/effect-kinds.ts';
import type { KernelEnv } from '../kernel/env.ts';
import type { RunState } from '../kernel/state.ts';
import { approvalsFor } from '../kernel/verify/governing-decisions.ts';
import { BOUNDARY_GATE } from '../model/boundary.ts';
import type { BodyInFull } from '../model/cleared-in-full.ts';
import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { GATE_MODE_APPROVAL } from '../model/gate.ts';
import { type PolicyDecision, whyForbidden } from '../model/policy-decision.ts';

type Cleared = BodyInFull<'step_cleared'>;
type Refused = Extract<EventBody, { readonly type: 'step_refused' }>;

/**
 * What the gateway would have said of a call if other policies had been in force. What its other layers said stands,
 * as far as they were asked: a call that only the policies kept back was seen by nobody behind them. The answer is told in
 * full: as planned would be as the policies of the other run decided.
 */
export function clearedAnew(env: KernelEnv, state: RunState, effect: LocalEffect, answer: Derived): Derived {
  const { event } = answer;
  if (effect.kind !== 'clear_step' || (event.type !== 'step_cleared' && event.type !== 'step_refused')) return answer;
  const told = event as Cleared | Refused;
  const decision = callPolicy(env, state)?.() ?? null;
  if (decision?.version === told.policy?.version && decision?.effect === told.policy?.effect) return answer;
  const anew = told.type === 'step_cleared' ? afterPass(env, effect.tool, told, decision) : afterNo(told, decision);
  return { event: anew, blobs: answer.blobs };
}

function afterPass(env: KernelEnv, tool: string, event: Cleared, decision: PolicyDecision | null): EventBody {
  const { policy: before, ...rest } = event;
  if (decision?.effect === 'forbid') return refusedBy(event.step_id, tool, decision);
  const asked = new Set([...(env.tools.get(tool)?.gates ?? []), ...approvalsFor(env.catalog, tool)]);
  const only = (before?.gates ?? []).filter((gate) => !asked.has(gate) && !OTHERS.has(gate));
  const kept = event.gates.filter((gate) => !only.includes(gate));
  if (decision === null) return { ...rest, gates: kept };
  return { ...rest, gates: [...new Set([...kept, ...decision.gates])], policy: decision };
}

/** Gates that others than the policies put before a call. */
const OTHERS: ReadonlySet<string> = new Set([GATE_MODE_APPROVAL, BOUNDARY_GATE]);

function afterNo(event: Refused, decision: PolicyDecision | null): EventBody {
  const byPolicy = event.policy?.effect === 'forbid';
  if (decision?.effect === 'forbid') return byPolicy ? { ...event, ...told(event, decision) } : event;
  if (!byPolicy) return event;
  const message = `${event.step_id} was kept back by the policies, so the layers behind them were never asked`;
  throw new Fault('replay_input_missing', message);
}

const told = (
  { message }: Refused,
  policy: PolicyDecision,
): Pick<Refused, 'message'> & { readonly policy: PolicyDecision } => ({
  message: `${message.slice(0, message.indexOf(' is forbidden'))} is forbidden: ${whyForbidden(policy)}`,
  policy,
});

const refusedBy = (step_id: string, tool: string, policy: PolicyDecision): EventBody => ({
  type: 'step_refused',
  step_id,
  layer: 'permission',
  code: 'permission_denied',
  message: `${tool} is forbidden: ${whyForbidden(policy)}`,
  missing: [],
  policy,
});
