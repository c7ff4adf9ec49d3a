import type { Json } from '../../model/json.ts';
import type { MemoryEntry } from '../../model/memory.ts';
import type { KernelEnv } from '../env.ts';
import { recipientFor } from '../escalate.ts';
import { openBesideGate } from '../open-gates.ts';
import type { Reaction } from '../reaction.ts';
import type { RunState } from '../state.ts';

/** Shows a person, word for word, what would be remembered. The run waits where its answer was made. */
export function openMemoryGate(env: KernelEnv, state: RunState, entries: readonly MemoryEntry[]): Reaction {
  const paths = state.manifest?.autonomy_boundary.escalation_paths ?? [];
  return openBesideGate(env, state, {
    name: 'GATE_MEMORY_WRITE',
    kind: 'memory',
    about: { entries: entries as unknown as Json },
    requestedFrom: recipientFor('high_impact_mutation', paths),
  });
}
