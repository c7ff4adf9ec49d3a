import type { EventOf } from '../../model/event.ts';
import type { MemoryEntry } from '../../model/memory.ts';
import { charge } from '../budget.ts';
import { raise } from '../closing.ts';
import type { KernelEnv } from '../env.ts';
import { land, launch } from '../flight.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { completion } from '../terminate.ts';
import { openMemoryGate } from './memory-gate.ts';

/** Nominations for memory come after the answer is fixed. Without a store they are only on record. */
export const onMemoryProposed: Reacts<'memory_proposed'> = (_env, state, event) => {
  if (state.ending.response === null) throw impossible('memory before the answer', state);
  const { proposals, validator } = event;
  const proposed = { ...state, ending: { ...state.ending, memoryProposals: proposals.length } };
  if (validator === undefined || proposals.length === 0) return endWithAnswer(proposed);
  const ruling: RunState = { ...proposed, ending: { ...proposed.ending, memory: { entries: null } } };
  return [ruling, [{ kind: 'rule_memory', proposals, validator }]];
};

/** What the gate let through is written, or put before a person first where the boundary says so. */
export const onMemoryRuled: Reacts<'memory_ruled'> = (env, state, event) => {
  if (state.ending.memory === undefined || state.ending.memory.entries !== null)
    throw impossible('a ruling on memories that nobody proposed', state);
  const entries = event.rulings.flatMap(({ promoted }) => (promoted === null ? [] : [promoted]));
  const ruled: RunState = { ...state, ending: { ...state.ending, memory: { entries } } };
  if (entries.length === 0) return endWithAnswer(ruled);
  const asked = state.manifest?.autonomy_boundary.state_writes.persistent_memory === 'approval';
  return asked ? openMemoryGate(env, ruled, entries) : writeMemory(ruled);
};

/** Counted before they are written, like every other effect. */
export function writeMemory(state: RunState): Reaction {
  const entries = entriesOf(state);
  if (state.budget === null) throw impossible('a memory before the run has a budget', state);
  const charged = charge(state.budget, { memory_writes: entries.length });
  if (!charged.ok) return endWithAnswer(state);
  return launch({ ...state, budget: charged.budget }, 'memory', { kind: 'write_memory', entries });
}

export function entriesOf({ ending }: RunState): readonly MemoryEntry[] {
  return ending.memory?.entries ?? [];
}

/** Whatever came of it, the answer stands. */
export const onMemoryWritten: Reacts<'memory_written'> = (_env, state, event) => {
  const landed = land(state, 'memory');
  assertOwn(state, event);
  return landed.ending.stops.length > 0 ? [landed, NOTHING] : endWithAnswer(landed);
};

function assertOwn(state: RunState, { written, failed }: EventOf<'memory_written'>): void {
  const known = new Set(entriesOf(state).map(({ entry_id }) => entry_id));
  const told = [...written, ...failed.map(({ entry_id }) => entry_id)];
  if (told.every((id) => known.has(id))) return;
  throw impossible('a memory that this run did not write', state);
}

/** The run ends with the answer it has given, whether or not something of it was remembered. */
function endWithAnswer(state: RunState): Reaction {
  const met = { goal: state.ending.criteriaMet, validation: true, grounding: true, safety: true };
  const stop = completion(met, state.work.unresolved) ?? { code: 'PARTIAL_SUCCESS', reason: 'finished_by_decision' };
  return [raise(state, stop), NOTHING];
}

/** Nobody has said in time that it may be remembered, so it is not. */
export function forgoMemory(_env: KernelEnv, state: RunState): Reaction {
  const memory = { entries: [] };
  const closed: RunState = {
    ...state,
    ending: { ...state.ending, memory },
    people: { ...state.people, gates: [], undecided: 0 },
  };
  return endWithAnswer(closed);
}
