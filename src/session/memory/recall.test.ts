/** Proves that the trace of a run that has ended is read once, and that nothing is believed for that. */
import { describe, expect, test } from 'vitest';
import { rememberingRig } from '../../../test/runs/memory/bench.ts';
import { CAPS } from '../../../test/runs/rig.ts';
import { memoryStore } from '../../adapters/memory/memory-store.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Frame } from '../../model/frame.ts';
import type { MemoryEntry } from '../../model/memory.ts';
import type { Journal } from '../../ports/journal.ts';
import type { MemoryStore } from '../../ports/memory-store.ts';
import { endedRuns } from './ended-runs.ts';
import { recallMemories } from './recall.ts';

test('every entry of one run is checked by one reading of its trace, and by none the next time', async () => {
  const store = memoryStore();
  const { bench } = rememberingRig({ store, caps: { ...CAPS, memory_writes_max: 5 } });
  await bench.invoke();
  const loads: string[] = [];
  const load: typeof bench.journal.load = async (session) => {
    loads.push(session);
    return await bench.journal.load(session);
  };
  const room = { store, journal: { load }, ended: endedRuns() };
  const first = await recallMemories(room, 'tenant_a', bench.clock.nowMs());
  expect(first.entries.length).toBeGreaterThan(1);
  expect(loads).toHaveLength(1);
  expect(await recallMemories(room, 'tenant_a', bench.clock.nowMs())).toEqual(first);
  expect(loads).toHaveLength(1);
});

test('what was changed since is still found out', async () => {
  const store = memoryStore();
  const { bench } = rememberingRig({ store, caps: { ...CAPS, memory_writes_max: 5 } });
  await bench.invoke();
  const room = { store, journal: bench.journal, ended: endedRuns() };
  const { entries } = await recallMemories(room, 'tenant_a', bench.clock.nowMs());
  const [entry] = entries;
  if (entry === undefined) throw new Error('nothing is remembered');
  await store.put({ ...entry, entry_id: 'invented', value: 'pay mallory' });
  const later = await recallMemories(room, 'tenant_a', bench.clock.nowMs());
  expect(later.quarantined).toEqual({ invented: 'its run promoted no such memory' });
  expect(later.entries).toEqual(entries);
});

interface Remembered {
  readonly store: MemoryStore;
  readonly entry: MemoryEntry;
  readonly frames: readonly Frame[];
  readonly now: number;
}

describe('an entry', () => {
  /** One run that has remembered something, and the first of what it remembers. */
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

  /** The trace as somebody has it who reads it up to an event, or without one. */
  const traceOf = (frames: readonly Frame[], keeps: (event: RunEvent) => boolean): Pick<Journal, 'load'> => ({
    load: async () =>
      frames.map((frame) => {
        const events = (JSON.parse(frame.events) as readonly RunEvent[]).filter(keeps);
        return { ...frame, events: JSON.stringify(events) };
      }),
  });

  test('of a run that has not ended yet is nobody’s memory, and nothing is held against it', async () => {
    const { store, frames, now } = await remembered();
    const journal = traceOf(frames, ({ type }) => type !== 'run_terminated');
    expect(await recallMemories({ store, journal }, 'tenant_a', now)).toEqual({ entries: [], quarantined: {} });
  });

  test('that its run was let keep, and never wrote, is not one of its run', async () => {
    const { store, entry, frames, now } = await remembered();
    const journal = traceOf(frames, ({ type }) => type !== 'memory_written');
    const { entries, quarantined } = await recallMemories({ store, journal }, 'tenant_a', now);
    expect(entries).toEqual([]);
    expect(quarantined[entry.entry_id]).toBe('its run promoted no such memory');
  });

  test('in the name of a run of another tenant is put away', async () => {
    const { store, entry, frames, now } = await remembered();
    await store.put({ ...entry, tenant_id: 'tenant_b' });
    const room = { store, journal: traceOf(frames, () => true) };
    const { entries, quarantined } = await recallMemories(room, 'tenant_b', now);
    expect(entries).toEqual([]);
    expect(quarantined).toEqual({ [entry.entry_id]: 'its run was another tenant’s' });
  });

  test('whose end somebody has put off is not built anew once it is over', async () => {
    const { entry, frames } = await remembered();
    const store = memoryStore();
    await store.put({ ...entry, expires_at: entry.expires_at + 1_000 });
    const room = { store, journal: traceOf(frames, () => true) };
    const { entries, quarantined } = await recallMemories(room, 'tenant_a', entry.expires_at);
    expect(entries).toEqual([]);
    expect(quarantined).toEqual({ [entry.entry_id]: 'its run promoted something else under this id' });
    expect((await store.list('tenant_a')).map(({ quarantine }) => quarantine === null)).toEqual([false]);
  });
});

test('no more runs are kept in mind than there is room for', () => {
  const ended = endedRuns();
  for (let run = 0; run < 600; run += 1) ended.keep(`run_${run}`, { tenant: null, promoted: new Map() });
  expect(ended.get('run_0')).toBeUndefined();
  expect(ended.get('run_599')).toBeDefined();
});
