import { assocGet } from '../../kernel/assoc.ts';
import { isObserved } from '../../kernel/committed.ts';
import type { Derived } from '../../kernel/derive.ts';
import type { RunState } from '../../kernel/state.ts';
import { vecToArray } from '../../kernel/vec.ts';
import type { Memorable, MemoryEntry } from '../../model/memory.ts';
import { reasonOf } from '../../model/printable.ts';
import type { MemoryStore } from '../../ports/memory-store.ts';

/** Of everything the run has come to know, the newest of each type that it saw itself, by the name of the type. */
export function memorable(state: RunState): Memorable {
  const effects = vecToArray(state.work.effects);
  const seen = Object.entries(state.work.evidenceByType)
    .filter(([, evidence]) => isObserved(state, evidence))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const behind = stepsBehind(state, new Set(seen.map(([, evidence]) => evidence)));
  const observed = seen.map(([type, evidence]) => {
    const step = behind.get(evidence);
    return { type, evidence, effects: effects.filter(({ stepId }) => stepId === step).map(({ callId }) => callId) };
  });
  return { runId: state.id.runId, now: state.now, observed, nominated: state.work.nominated ?? [] };
}

/**
 * The steps that pieces of evidence come from, as far as they are the last word of those steps: one that was done again
 * under the plan in force has taken back what it said before.
 */
function stepsBehind({ planning, work }: RunState, evidence: ReadonlySet<string>): ReadonlyMap<string, string> {
  const behind = new Map<string, string>();
  const { steps, origins } = work.carried;
  for (const id of evidence) {
    const step = assocGet(origins, id);
    if (step !== undefined && assocGet(steps, step)?.fact.evidenceId === id) behind.set(id, step);
  }
  const progress = vecToArray(work.progress);
  planning.active?.plan.steps.forEach((step, place) => {
    const done = progress[place];
    if (done?.status !== 'committed' || done.fact === null) return;
    const before = assocGet(steps, step.id)?.fact.evidenceId;
    if (before !== undefined) behind.delete(before);
    if (evidence.has(done.fact.evidenceId)) behind.set(done.fact.evidenceId, step.id);
  });
  return behind;
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
