import type { Derived } from '../kernel/derive.ts';
import type { KernelEnv } from '../kernel/env.ts';
import { decidersOf } from '../kernel/gate-policy.ts';
import { heldUntil } from '../kernel/held-until.ts';
import { covers } from '../kernel/standing.ts';
import type { RunState } from '../kernel/state.ts';
import type { EffectOf } from '../model/effect.ts';
import { GATE_MODE_APPROVAL } from '../model/gate.ts';
import { type StandingGrant, whyNotGiver } from '../model/grant.ts';
import type { StandingView } from './standing-view.ts';

/** Lets a grant that a person gave in advance stand for the gate of the mode, where one covers exactly this call. */
export function withStanding(
  view: StandingView,
  env: KernelEnv,
  state: RunState,
  effect: EffectOf<'clear_step'>,
  cleared: Derived,
): Derived {
  const { event } = cleared;
  if (event.type !== 'step_cleared' || !event.gates.includes(GATE_MODE_APPROVAL)) return cleared;
  const spec = env.tools.get(effect.tool);
  if (spec === undefined || state.current === null) return cleared;
  const { args, origin } = effect;
  const sentAt = Math.max(state.now, heldUntil(state, state.current, event));
  const call = { spec, args, mode: event.mode, origin, sentAt };
  const fits = (grant: StandingGrant): boolean =>
    whyNotGiver(decidersOf(env, GATE_MODE_APPROVAL), grant.proof.roles) === null && covers(env, state, grant, call);
  const standing = view.find(fits, spec.cost.microusd, sentAt);
  if (standing === null) return cleared;
  const gates = event.gates.filter((gate) => gate !== GATE_MODE_APPROVAL);
  return { ...cleared, event: { ...event, gates, standing } };
}
