import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';
import type { Reaction } from '../../transition/reaction.ts';
import { openOtherGate } from './open-gates.ts';

/** Asks a person to confirm scopes beyond the usual ones. The packet shows the requester, the scopes and the task. */
export function openScopeGate(env: KernelEnv, state: RunState, scopes: readonly string[]): Reaction {
  const confirming: RunState = { ...state, intake: { ...state.intake, confirming: scopes } };
  return openOtherGate(env, confirming, {
    name: 'GATE_SCOPE_CONFIRMATION',
    kind: 'scope',
    about: { scopes },
    requestedFrom: 'operator',
  });
}

/** Resolves the scope again with the confirmed scopes. */
export function openScopes(state: RunState): Reaction {
  const { confirming = [], opened = [], ...intake } = state.intake;
  return [{ ...state, intake: { ...intake, opened: [...opened, ...confirming] } }, [{ kind: 'resolve_scope' }]];
}
