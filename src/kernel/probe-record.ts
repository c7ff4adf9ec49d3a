import type { EventOf } from '../model/event.ts';
import type { KernelEnv } from './env.ts';
import { impossible } from './reaction.ts';
import { specOf } from './spec-of.ts';
import type { RunState } from './state.ts';

type Looked = Pick<EventOf<'call_reconciled'>, 'probe' | 'refused' | 'policy'>;

/**
 * A probe from which something follows was one that could be asked: it only looks, this run may use it, and the policies
 * let it pass without a person. A journal that says otherwise is not believed.
 */
export function assertAsked(env: KernelEnv, state: RunState, { probe, refused, policy }: Looked, tells: boolean): void {
  if (!tells) return;
  if (refused !== undefined) throw impossible(`${probe} was refused and has found something`, state);
  const why = whyNotAsked(env, state, probe);
  if (why !== null) throw impossible(why, state);
  const { calls } = env.policy;
  if (calls === undefined) return;
  const isPermitted = policy?.effect === 'permit' && policy.gates.length === 0 && policy.version === calls.version;
  if (!isPermitted) throw impossible(`no policy lets ${probe} be asked`, state);
}

/** Why nobody may ask this probe, whatever it would be asked, or null. */
export function whyNotAsked(env: KernelEnv, { manifest, intake }: RunState, probe: string): string | null {
  const { side_effect, approval_mode, active } = specOf(env, probe);
  if (side_effect || approval_mode !== 'read_only' || !active) return `${probe} is no probe`;
  const { allowed = [], needs_approval = [] } = manifest?.autonomy_boundary.tools ?? {};
  const isAllowed = allowed.includes(probe) && intake.token?.allowed_tools.includes(probe) === true;
  return isAllowed && !needs_approval.includes(probe) ? null : `this run may not ask ${probe}`;
}
