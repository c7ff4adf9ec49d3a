import type { RunEvent } from '../../model/events/event.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import type { MemoryEntry } from '../../model/evidence/memory.ts';
import { Fault } from '../../model/fault/fault.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Json } from '../../model/json/json.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { MemoryStore } from '../../ports/store/memory-store.ts';

/** The memories that a run receives, and the entries that were quarantined meanwhile. */
export interface Memories {
  readonly entries: readonly MemoryEntry[];
  readonly quarantined: Readonly<Record<string, string>>;
}

/** The memories that an ended run promoted, from its trace. An ended run does not change, so it is read once. */
interface EndedRun {
  readonly tenant: string | null;
  readonly promoted: ReadonlyMap<string, MemoryEntry>;
}

interface EndedRuns {
  get(runId: string): EndedRun | undefined;
  keep(runId: string, run: EndedRun): void;
}

export interface RecallDeps {
  readonly store: MemoryStore;
  readonly journal: Pick<Journal, 'load'>;
  /** The cache of ended runs. Without it every trace is read each time. */
  readonly ended?: EndedRuns;
}

/**
 * Recalls the memories of a tenant. An entry counts only if the trace of its run contains the same value. Any other
 * entry is quarantined and, if the trace has the right value, rebuilt.
 */
export async function recallMemories(deps: RecallDeps, tenant: string, now: number): Promise<Memories> {
  const { store } = deps;
  const recalled = await store.recall({ tenant, now });
  const entries: MemoryEntry[] = [];
  const quarantined: Record<string, string> = {};
  for (const { entry_id, why } of recalled.broken) {
    quarantined[entry_id] = `unsupported: ${why}`;
    await store.quarantine(tenant, entry_id, { reason: `unsupported: ${why}`, at: now });
  }
  for (const entry of recalled.entries) {
    const origin = await memoryOrigin(deps, entry);
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

/** The comparison of an entry with its trace. `open`: the run has not ended, so the entry is not recalled yet. */
export type MemoryOrigin =
  | { readonly kind: 'agrees' | 'open' }
  | { readonly kind: 'differs'; readonly why: string; readonly entry: MemoryEntry | null };

export async function memoryOrigin(deps: RecallDeps, entry: MemoryEntry): Promise<MemoryOrigin> {
  const run = deps.ended?.get(entry.originating_run) ?? (await readTrace(deps, entry.originating_run));
  if (run === null) return { kind: 'differs', why: 'its run left no readable trace', entry: null };
  if (run.tenant !== entry.tenant_id) return { kind: 'differs', why: 'its run was another tenant’s', entry: null };
  if (run.promoted === null) return { kind: 'open' };
  const promoted = run.promoted.get(entry.entry_id) ?? null;
  if (promoted === null) return { kind: 'differs', why: 'its run promoted no such memory', entry: null };
  if (isSameEntry(promoted, entry)) return { kind: 'agrees' };
  return { kind: 'differs', why: 'its run promoted something else under this id', entry: promoted };
}

type Traced = Pick<EndedRun, 'tenant'> & { readonly promoted: EndedRun['promoted'] | null };

/** Reads the trace of a run; `promoted` is null until the run has ended. Only ended runs are cached. */
async function readTrace({ journal, ended }: RecallDeps, runId: string): Promise<Traced | null> {
  const events = await eventsOf(journal, runId);
  if (events === null) return null;
  const tenant = events.find((event) => event.type === 'goal_received')?.tenant_id ?? null;
  if (events.at(-1)?.type !== 'run_terminated') return { tenant, promoted: null };
  const run: EndedRun = { tenant, promoted: promotedIn(events) };
  ended?.keep(runId, run);
  return run;
}

/** Returns null for a corrupt trace. An unreachable store is thrown. */
async function eventsOf(journal: Pick<Journal, 'load'>, runId: string): Promise<readonly RunEvent[] | null> {
  try {
    const frames = await journal.load(runId);
    return frames.length === 0 ? null : frames.flatMap(frameEvents);
  } catch (error) {
    if (Fault.is(error) && error.code === 'store_corrupt') return null;
    throw error;
  }
}

/** The entries that the memory gate approved and the run then wrote. */
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

const isSameEntry = (a: MemoryEntry, b: MemoryEntry): boolean =>
  canonicalize(a as unknown as Json) === canonicalize(b as unknown as Json);

/** The size of the cache. A tenant remembers a few hundred runs at a time; the oldest are read again. */
const RUNS_MAX = 500;

export function endedRuns(): EndedRuns {
  const known = new Map<string, EndedRun>();
  return {
    get: (runId) => known.get(runId),
    keep: (runId, run) => {
      known.set(runId, run);
      const [oldest] = known.keys();
      if (known.size > RUNS_MAX && oldest !== undefined) known.delete(oldest);
    },
  };
}
