import type { Json, JsonObject } from '../../model/json.ts';
import type { MemoryEntry } from '../../model/memory.ts';
import type { KernelEnv } from '../env.ts';
import { recipientFor } from '../escalate.ts';
import { decidersOf, gatePolicy } from '../gate-policy.ts';
import type { Reaction } from '../reaction.ts';
import type { RunState } from '../state.ts';

const MEMORY_GATE = 'GATE_MEMORY_WRITE';

/** Shows a person, word for word, what would be remembered. The run waits where its answer was made. */
export function openMemoryGate(env: KernelEnv, state: RunState, entries: readonly MemoryEntry[]): Reaction {
  const expires_at = state.now + gatePolicy(env, MEMORY_GATE).ttlMs;
  const packet: JsonObject = {
    gate: MEMORY_GATE,
    kind: 'memory',
    run_id: state.id.runId,
    task: state.intake.goal?.statement ?? '',
    entries: entries as unknown as Json,
    requested_by: state.intake.identity?.actor ?? 'nobody',
    requested_from: recipientFor('high_impact_mutation', state.manifest?.autonomy_boundary.escalation_paths ?? []),
    deciders: decidersOf(env, MEMORY_GATE) as unknown as Json,
    expires_at,
  };
  const gatesOpened = state.people.gatesOpened + 1;
  const gate_id = `gate_${state.id.runId}_${gatesOpened}`;
  const waiting: RunState = { ...state, people: { ...state.people, gatesOpened, undecided: 1, decision: null } };
  return [
    waiting,
    [{ kind: 'open_gate', gate_id, name: MEMORY_GATE, gate_kind: 'memory', step_id: null, packet, expires_at }],
  ];
}
