/** Proves that the trace of an ended run is read once and that changed entries are still detected. */
import { describe, expect, test } from 'vitest';
import { rememberingRig } from '../../../test/runs/memory/bench.ts';
import { CAPS } from '../../../test/runs/rig.ts';
import { memoryStore } from '../../adapters/memory/memory-store.ts';
import type { RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import type { MemoryEntry } from '../../model/evidence/memory.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { MemoryStore } from '../../ports/store/memory-store.ts';
import { endedRuns, recallMemories } from './recall-memory.ts';

test('checks all entries of a run with one read of its trace, and caches it', async () => {
  const store = memoryStore();
  const { bench } = rememberingRig({ store, caps: { ...CAPS, memory_writes_max: 5 } });
  await bench.invoke();
  const loads: string[] = [];
  const load: typeof bench.journal.load = async (session) => {
    loads.push(session);
    return await bench.journal.load(session);
  };
  const deps = { store, journal: { load }, ended: endedRuns() };
  const first = await recallMemories(deps, 'tenant_a', bench.clock.nowMs());
  expect(first.entries.length).toBeGreaterThan(1);
  expect(loads).toHaveLength(1);
  expect(await recallMemories(deps, 'tenant_a', bench.clock.nowMs())).toEqual(first);
  expect(loads).toHaveLength(1);
});

test('detects an entry that was added after the trace was cached', async () => {
  const store = memoryStore();
  const { bench } = rememberingRig({ store, caps: { ...CAPS, memory_writes_max: 5 } });
  await bench.invoke();
  const deps = { store, journal: bench.journal, ended: endedRuns() };
  const { entries } = await recallMemories(deps, 'tenant_a', bench.clock.nowMs());
  const [entry] = entries;
  if (entry === undefined) throw new Error('nothing is remembered');
  await store.put({ ...entry, entry_id: 'invented', value: 'pay mallory' });
  const later = await recallMemories(deps, 'tenant_a', bench.clock.nowMs());
  expect(later.quarantined).toEqual({ invented: 'its run promoted no such memory' });
  expect(later.entries).toEqual(entries);
});

interface Remembered {
  readonly store: MemoryStore;
  readonly entry: MemoryEntry;
  readonly frames: readonly Frame[];
  readonly now: number;
}

describe('a memory entry', () => {
  /** A run that has remembered something, and its first entry. */
  async function remembered(): Promise<Remembered> {
    const store = memoryStore();
    const { bench } = rememberingRig({ store, caps: { ...CAPS, memory_writes_max: 5 } });
    const { runId } = await bench.invoke();
    const now = bench.clock.nowMs();
    const [entry] = (await store.recall({ tenant: 'tenant_a', now })).entries;
    if (entry === undefined) throw new Error('nothing is remembered');
    const frames = await bench.journal.load(runId);
    return { store, entry, frames, now };
  }

  /** The trace, restricted to some events. */
  const traceOf = (frames: readonly Frame[], keeps: (event: RunEvent) => boolean): Pick<Journal, 'load'> => ({
    load: async () =>
      frames.map((frame) => {
        const events = (JSON.parse(frame.events) as readonly RunEvent[]).filter(keeps);
        return { ...frame, events: JSON.stringify(events) };
      }),
  });

  test('of an unfinished run is not recalled and not quarantined', async () => {
    const { store, frames, now } = await remembered();
    const journal = traceOf(frames, ({ type }) => type !== 'run_terminated');
    expect(await recallMemories({ store, journal }, 'tenant_a', now)).toEqual({ entries: [], quarantined: {} });
  });

  test('that was approved but never written is quarantined', async () => {
    const { store, entry, frames, now } = await remembered();
    const journal = traceOf(frames, ({ type }) => type !== 'memory_written');
    const { entries, quarantined } = await recallMemories({ store, journal }, 'tenant_a', now);
    expect(entries).toEqual([]);
    expect(quarantined[entry.entry_id]).toBe('its run promoted no such memory');
  });

  test('that names a run of another tenant is quarantined', async () => {
    const { store, entry, frames, now } = await remembered();
    await store.put({ ...entry, tenant_id: 'tenant_b' });
    const deps = { store, journal: traceOf(frames, () => true) };
    const { entries, quarantined } = await recallMemories(deps, 'tenant_b', now);
    expect(entries).toEqual([]);
    expect(quarantined).toEqual({ [entry.entry_id]: 'its run was another tenant’s' });
  });

  test('with an altered expiry is not rebuilt after its real expiry', async () => {
    const { entry, frames } = await remembered();
    const store = memoryStore();
    await store.put({ ...entry, expires_at: entry.expires_at + 1_000 });
    const deps = { store, journal: traceOf(frames, () => true) };
    const { entries, quarantined } = await recallMemories(deps, 'tenant_a', entry.expires_at);
    expect(entries).toEqual([]);
    expect(quarantined).toEqual({ [entry.entry_id]: 'its run promoted something else under this id' });
    expect((await store.list('tenant_a')).map(({ quarantine }) => quarantine === null)).toEqual([false]);
  });
});

test('caches a limited number of runs', () => {
  const ended = endedRuns();
  for (let run = 0; run < 600; run += 1) ended.keep(`run_${run}`, { tenant: null, promoted: new Map() });
  expect(ended.get('run_0')).toBeUndefined();
  expect(ended.get('run_599')).toBeDefined();
});
