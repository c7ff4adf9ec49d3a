import type { KernelEnv } from './env.ts';
import { openBesideGate } from './open-gates.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';

/** A request for more than a run may usually read waits for a person, who sees who wants what, and for which task. */
export function openScopeGate(env: KernelEnv, state: RunState, scopes: readonly string[]): Reaction {
  const confirming: RunState = { ...state, intake: { ...state.intake, confirming: scopes } };
  return openBesideGate(env, confirming, {
    name: 'GATE_SCOPE_CONFIRMATION',
    kind: 'scope',
    about: { scopes },
    requestedFrom: 'operator',
  });
}

/** A person has opened them: what the run may read is settled anew, with them. */
export function openScopes(state: RunState): Reaction {
  const { confirming = [], opened = [], ...intake } = state.intake;
  return [{ ...state, intake: { ...intake, opened: [...opened, ...confirming] } }, [{ kind: 'resolve_scope' }]];
}
