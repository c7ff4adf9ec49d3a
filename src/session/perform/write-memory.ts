import { assocGet, type Derived, isObserved, type RunState, vecToArray } from '../../kernel/index.ts';
import type { Memorable, MemoryEntry } from '../../model/evidence/memory.ts';
import { reasonOf } from '../../model/json/printable.ts';
import type { MemoryStore } from '../../ports/store/memory-store.ts';

/** The newest evidence of each type that the run observed itself, sorted by type. */
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
 * Maps evidence to its step, as far as it is the last result of that step. A step that was repeated under the plan in
 * force replaces its earlier result.
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

/** Writes the entries one by one. A failure is recorded and does not affect the run's answer. */
export async function storeMemories(store: MemoryStore | undefined, entries: readonly MemoryEntry[]): Promise<Derived> {
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
