import type { Json, JsonObject } from '../model/json.ts';
import type { KernelEnv } from './env.ts';
import { decidersOf, gatePolicy } from './gate-policy.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';

const SCOPE_GATE = 'GATE_SCOPE_CONFIRMATION';

/** A request for more than a run may usually read waits for a person, who sees who wants what, and for which task. */
export function openScopeGate(env: KernelEnv, state: RunState, scopes: readonly string[]): Reaction {
  const expires_at = state.now + gatePolicy(env, SCOPE_GATE).ttlMs;
  const packet: JsonObject = {
    gate: SCOPE_GATE,
    kind: 'scope',
    run_id: state.id.runId,
    task: state.intake.goal?.statement ?? '',
    scopes,
    requested_by: state.intake.identity?.actor ?? 'nobody',
    requested_from: 'operator',
    deciders: decidersOf(env, SCOPE_GATE) as unknown as Json,
    expires_at,
  };
  const gatesOpened = state.people.gatesOpened + 1;
  const gate_id = `gate_${state.id.runId}_${gatesOpened}`;
  const waiting: RunState = {
    ...state,
    intake: { ...state.intake, confirming: scopes },
    people: { ...state.people, gatesOpened, undecided: 1, decision: null },
  };
  return [
    waiting,
    [{ kind: 'open_gate', gate_id, name: SCOPE_GATE, gate_kind: 'scope', step_id: null, packet, expires_at }],
  ];
}

/** A person has opened them: what the run may read is settled anew, with them. */
export function openScopes(state: RunState): Reaction {
  const { confirming = [], opened = [], ...intake } = state.intake;
  return [{ ...state, intake: { ...intake, opened: [...opened, ...confirming] } }, [{ kind: 'resolve_scope' }]];
}
