import type { EventOf } from '../../../model/events/event.ts';
import type { MemoryEntry } from '../../../model/evidence/memory.ts';
import type { Json } from '../../../model/json/json.ts';
import { charge } from '../../budget/budget.ts';
import type { KernelEnv } from '../../env.ts';
import { recipientFor } from '../../query/gate/escalation.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { land, launch, NO_EFFECTS, type Reaction, type Reacts, raise } from '../../transition/reaction.ts';
import { completionStop } from '../../transition/stop.ts';
import { openOtherGate } from './open-gates.ts';

/** Handles memory proposals after the answer is fixed. Without a store they are only recorded. */
export const onMemoryProposed: Reacts<'memory_proposed'> = (_env, state, event) => {
  if (state.ending.response === null) throw impossibleEvent('memory before the answer', state);
  const { proposals, validator } = event;
  const proposed = { ...state, ending: { ...state.ending, memoryProposals: proposals.length } };
  if (validator === undefined || proposals.length === 0) return endWithAnswer(proposed);
  const ruling: RunState = { ...proposed, ending: { ...proposed.ending, memory: { entries: null } } };
  return [ruling, [{ kind: 'rule_memory', proposals, validator }]];
};

/** Writes the promoted entries, or asks for approval first if the boundary requires it. */
export const onMemoryRuled: Reacts<'memory_ruled'> = (env, state, event) => {
  if (state.ending.memory === undefined || state.ending.memory.entries !== null)
    throw impossibleEvent('a ruling on memories that nobody proposed', state);
  const entries = event.rulings.flatMap(({ promoted }) => (promoted === null ? [] : [promoted]));
  const ruled: RunState = { ...state, ending: { ...state.ending, memory: { entries } } };
  if (entries.length === 0) return endWithAnswer(ruled);
  const needsApproval = state.manifest?.autonomy_boundary.state_writes.persistent_memory === 'approval';
  return needsApproval ? openMemoryGate(env, ruled, entries) : writeMemories(ruled);
};

/** Charges the entries before they are written. */
export function writeMemories(state: RunState): Reaction {
  const entries = entriesOf(state);
  if (state.budget === null) throw impossibleEvent('a memory before the run has a budget', state);
  const charged = charge(state.budget, { memory_writes: entries.length });
  if (!charged.ok) return endWithAnswer(state);
  return launch({ ...state, budget: charged.budget }, 'memory', { kind: 'write_memory', entries });
}

export function entriesOf({ ending }: RunState): readonly MemoryEntry[] {
  return ending.memory?.entries ?? [];
}

/** The answer stands whether or not the write succeeded. */
export const onMemoryWritten: Reacts<'memory_written'> = (_env, state, event) => {
  const landed = land(state, 'memory');
  assertOwnEntries(state, event);
  return landed.ending.stops.length > 0 ? [landed, NO_EFFECTS] : endWithAnswer(landed);
};

function assertOwnEntries(state: RunState, { written, failed }: EventOf<'memory_written'>): void {
  const known = new Set(entriesOf(state).map(({ entry_id }) => entry_id));
  const entryIds = [...written, ...failed.map(({ entry_id }) => entry_id)];
  if (entryIds.every((id) => known.has(id))) return;
  throw impossibleEvent('a memory that this run did not write', state);
}

/** Ends the run with its answer, whether or not entries were stored. */
function endWithAnswer(state: RunState): Reaction {
  const met = { goal: state.ending.criteriaMet, validation: true, grounding: true, safety: true };
  const stop = completionStop(met, state.work.unresolved, state.ending.response?.reply) ?? {
    code: 'PARTIAL_SUCCESS',
    reason: 'finished_by_decision',
  };
  return [raise(state, stop), NO_EFFECTS];
}

/** Drops the entries of a memory gate that was rejected or has expired. */
export function forgoMemory(_env: KernelEnv, state: RunState): Reaction {
  const memory = { entries: [] };
  const closed: RunState = {
    ...state,
    ending: { ...state.ending, memory },
    people: { ...state.people, gates: [], undecided: 0 },
  };
  return endWithAnswer(closed);
}

/** Shows the entries to a person. The run waits at its current node. */
function openMemoryGate(env: KernelEnv, state: RunState, entries: readonly MemoryEntry[]): Reaction {
  const paths = state.manifest?.autonomy_boundary.escalation_paths ?? [];
  return openOtherGate(env, state, {
    name: 'GATE_MEMORY_WRITE',
    kind: 'memory',
    about: { entries: entries as unknown as Json },
    requestedFrom: recipientFor('high_impact_mutation', paths),
  });
}
