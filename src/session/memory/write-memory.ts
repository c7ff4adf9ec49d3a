import { assocGet } from '../../kernel/assoc.ts';
import { isObserved } from '../../kernel/committed.ts';
import type { Derived } from '../../kernel/derive.ts';
import type { RunState } from '../../kernel/state.ts';
import { vecGet, vecToArray } from '../../kernel/vec.ts';
import type { Memorable, MemoryEntry } from '../../model/memory.ts';
import { reasonOf } from '../../model/printable.ts';
import type { MemoryStore } from '../../ports/memory-store.ts';

/** Of everything the run has come to know, the newest of each type that it saw itself, by the name of the type. */
export function memorable(state: RunState): Memorable {
  const effects = vecToArray(state.work.effects);
  const stepBehind = origins(state);
  const observed = Object.entries(state.work.evidenceByType)
    .filter(([, evidence]) => isObserved(state, evidence))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, evidence]) => {
      const step = stepBehind(evidence);
      return { type, evidence, effects: effects.filter(({ stepId }) => stepId === step).map(({ callId }) => callId) };
    });
  return { runId: state.id.runId, now: state.now, observed, nominated: state.work.nominated ?? [] };
}

/**
 * The step that a piece of evidence comes from, for those whose last word it is. What was done under the plan in force
 * stands before what was carried here, and a step that was done again has taken back what it said before.
 */
function origins({ planning, work }: RunState): (evidence: string) => string | undefined {
  const byEvidence = new Map<string, string>();
  const doneHere = new Set<string>();
  planning.active?.plan.steps.forEach(({ id }, place) => {
    const done = vecGet(work.progress, place);
    if (done?.status !== 'committed' || done.fact === null) return;
    byEvidence.set(done.fact.evidenceId, id);
    doneHere.add(id);
  });
  const { steps, origins: carried } = work.carried;
  return (evidence) => {
    const here = byEvidence.get(evidence);
    if (here !== undefined) return here;
    const id = assocGet(carried, evidence) ?? '';
    return !doneHere.has(id) && assocGet(steps, id)?.fact.evidenceId === evidence ? id : undefined;
  };
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
