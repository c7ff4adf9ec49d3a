import { canonicalize } from '../../model/canonical.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import type { MemoryEntry } from '../../model/memory.ts';
import type { Journal } from '../../ports/journal.ts';
import type { MemoryStore } from '../../ports/memory-store.ts';
import type { EndedRun, EndedRuns } from './ended-runs.ts';

/** What a run is told of what its tenant remembers, and what was put away on the way. */
export interface Memories {
  readonly entries: readonly MemoryEntry[];
  readonly quarantined: Readonly<Record<string, string>>;
}

export interface RecallRoom {
  readonly store: MemoryStore;
  readonly journal: Pick<Journal, 'load'>;
  /** What is known of runs that have ended. Left out, every trace is read each time. */
  readonly ended?: EndedRuns;
}

/**
 * Asks for what is remembered, and believes none of it: an entry counts if the trace of the run that it comes from says
 * the same. What does not is put into quarantine and, where the trace says what it ought to be, built anew from there.
 */
export async function recallMemories(room: RecallRoom, tenant: string, now: number): Promise<Memories> {
  const { store } = room;
  const recalled = await store.recall({ tenant, now });
  const entries: MemoryEntry[] = [];
  const quarantined: Record<string, string> = {};
  for (const { entry_id, why } of recalled.broken) {
    quarantined[entry_id] = `unsupported: ${why}`;
    await store.quarantine(tenant, entry_id, { reason: `unsupported: ${why}`, at: now });
  }
  for (const entry of recalled.entries) {
    const origin = await originOf(room, entry);
    if (origin.kind === 'agrees') entries.push(entry);
    if (origin.kind !== 'differs') continue;
    quarantined[entry.entry_id] = origin.why;
    await store.quarantine(tenant, entry.entry_id, { reason: origin.why, at: now });
    if (origin.entry === null || origin.entry.expires_at <= now) continue;
    await store.restore(origin.entry);
    entries.push(origin.entry);
  }
  return { entries, quarantined };
}

/** What the trace says of an entry. `open`: its run has not ended yet, and until then it is nobody's memory. */
export type Origin =
  | { readonly kind: 'agrees' | 'open' }
  | { readonly kind: 'differs'; readonly why: string; readonly entry: MemoryEntry | null };

export async function originOf(room: RecallRoom, entry: MemoryEntry): Promise<Origin> {
  const run = room.ended?.get(entry.originating_run) ?? (await traced(room, entry.originating_run));
  if (run === null) return { kind: 'differs', why: 'its run left no readable trace', entry: null };
  if (run.tenant !== entry.tenant_id) return { kind: 'differs', why: 'its run was another tenant’s', entry: null };
  if (run.promoted === null) return { kind: 'open' };
  const promoted = run.promoted.get(entry.entry_id) ?? null;
  if (promoted === null) return { kind: 'differs', why: 'its run promoted no such memory', entry: null };
  if (same(promoted, entry)) return { kind: 'agrees' };
  return { kind: 'differs', why: 'its run promoted something else under this id', entry: promoted };
}

type Traced = Pick<EndedRun, 'tenant'> & { readonly promoted: EndedRun['promoted'] | null };

/** What the trace of a run says; `promoted` is null while it has not ended. Only what has ended is kept in mind. */
async function traced({ journal, ended }: RecallRoom, runId: string): Promise<Traced | null> {
  const events = await eventsOf(journal, runId);
  if (events === null) return null;
  const tenant = events.find((event) => event.type === 'goal_received')?.tenant_id ?? null;
  if (events.at(-1)?.type !== 'run_terminated') return { tenant, promoted: null };
  const run: EndedRun = { tenant, promoted: promotedIn(events) };
  ended?.keep(runId, run);
  return run;
}

/** A frame whose hash does not fit is no trace. A store that cannot be reached is another matter, and is said so. */
async function eventsOf(journal: Pick<Journal, 'load'>, runId: string): Promise<readonly RunEvent[] | null> {
  try {
    const frames = await journal.load(runId);
    return frames.length === 0 ? null : frames.flatMap(({ events }) => JSON.parse(events) as RunEvent[]);
  } catch (error) {
    if (Fault.is(error) && error.code === 'store_corrupt') return null;
    throw error;
  }
}

/** What the gate of that run let through and the run then wrote. */
function promotedIn(events: readonly RunEvent[]): EndedRun['promoted'] {
  const written = new Set(events.flatMap((event) => (event.type === 'memory_written' ? event.written : [])));
  const promoted = new Map<string, MemoryEntry>();
  for (const event of events) {
    if (event.type !== 'memory_ruled') continue;
    for (const { promoted: entry } of event.rulings) {
      if (entry !== null && written.has(entry.entry_id) && !promoted.has(entry.entry_id))
        promoted.set(entry.entry_id, entry);
    }
  }
  return promoted;
}

const same = (a: MemoryEntry, b: MemoryEntry): boolean =>
  canonicalize(a as unknown as Json) === canonicalize(b as unknown as Json);
