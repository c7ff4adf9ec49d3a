import { callPolicy } from '../kernel/call-policy.ts';
import type { KernelEnv } from '../kernel/env.ts';
import { decisionOn } from '../kernel/policy-record.ts';
import type { RunState } from '../kernel/state.ts';
import { canonicalize } from '../model/canonical.ts';
import type { EventBody } from '../model/event.ts';
import type { Json } from '../model/json.ts';
import { withoutShadow } from '../model/policy-decision.ts';

/**
 * Why a recorded decision about a call is not what its policies decide; null where it is, or where they are not here to
 * be asked. What a candidate said is a note, not a decision, and is not asked for again.
 */
export function policyDisagreement(env: KernelEnv, state: RunState, event: EventBody): string | null {
  if (event.type !== 'step_cleared' && event.type !== 'step_refused') return null;
  const { calls, version, invariants } = env.policy;
  const told = event.type === 'step_cleared' ? decisionOn(state, event) : event.policy;
  if (told === undefined || calls?.version !== told.version) return null;
  const derived = callPolicy({ ...env, policy: { version, invariants, calls } }, state)?.();
  const recorded = canonicalize(withoutShadow(told) as unknown as Json);
  if (derived !== undefined && canonicalize(derived as unknown as Json) === recorded) return null;
  return `the policy decides otherwise about ${event.step_id}: recorded ${told.effect}, derived ${derived?.effect ?? 'nothing'}`;
}
