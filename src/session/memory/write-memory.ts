import { isObserved } from '../../kernel/committed.ts';
import type { Derived } from '../../kernel/derive.ts';
import { doneSteps } from '../../kernel/done-steps.ts';
import type { RunState } from '../../kernel/state.ts';
import { vecToArray } from '../../kernel/vec.ts';
import type { Memorable, MemoryEntry } from '../../model/memory.ts';
import { reasonOf } from '../../model/printable.ts';
import type { MemoryStore } from '../../ports/memory-store.ts';

/** Of everything the run has come to know, the newest of each type that it saw itself, by the name of the type. */
export function memorable(state: RunState): Memorable {
  const steps = new Map(doneSteps(state).map(({ step, fact }) => [fact.evidenceId, step.id]));
  const effects = vecToArray(state.work.effects);
  const observed = Object.entries(state.work.evidenceByType)
    .filter(([, evidence]) => isObserved(state, evidence))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, evidence]) => ({
      type,
      evidence,
      effects: effects.filter(({ stepId }) => stepId === steps.get(evidence)).map(({ callId }) => callId),
    }));
  return { runId: state.id.runId, now: state.now, observed, nominated: state.work.nominated ?? [] };
}

/** Writes one entry after the other. What cannot be written is on record, and the answer of the run stands. */
export async function writeMemory(store: MemoryStore | undefined, entries: readonly MemoryEntry[]): Promise<Derived> {
  const written: string[] = [];
  const failed: { readonly entry_id: string; readonly reason: string }[] = [];
  for (const entry of entries) {
    try {
      if (store === undefined) throw new Error('there is no memory to write to');
      await store.put(entry);
      written.push(entry.entry_id);
    } catch (error) {
      failed.push({ entry_id: entry.entry_id, reason: reasonOf(error) });
    }
  }
  return { event: { type: 'memory_written', written, failed }, blobs: [] };
}
