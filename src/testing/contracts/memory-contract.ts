import assert from 'node:assert/strict';
import type { MemoryEntry } from '../../model/evidence/memory.ts';
import type { MemoryStore } from '../../ports/store/memory-store.ts';
import { refused } from './journal/case.ts';

/** One empty store, and a test's access to it. */
export interface MemoryTestStore {
  /** Opens the same store. Several may be open, as from several processes. */
  open(): Promise<MemoryStore>;
  /** Writes a text in place of an entry, bypassing the store. */
  plant(tenant: string, entryId: string, text: string): Promise<void>;
}

export interface MemoryCase {
  readonly name: string;
  readonly run: (bench: MemoryTestStore) => Promise<void>;
}

/** A test that works on one open store. */
const memoryCase = (name: string, run: (store: MemoryStore, bench: MemoryTestStore) => Promise<void>): MemoryCase => ({
  name,
  run: async (bench) => run(await bench.open(), bench),
});

const NOW = 1_000_000;

function entry(id: string, changes: Partial<MemoryEntry> = {}): MemoryEntry {
  return {
    entry_id: id,
    tenant_id: 'tenant_a',
    key: 'order',
    value: { total: 42 },
    source_links: ['ev_1'],
    validator_id: 'memory_gate@1',
    labels: { permission_scope: 'orders', personal_data: false, authority: 1 },
    trusted: true,
    promoted_at: NOW - 100,
    expires_at: NOW + 100,
    originating_run: 'run_1',
    quarantined: false,
    ...changes,
  };
}

const ids = (entries: readonly MemoryEntry[]): readonly string[] => entries.map(({ entry_id }) => entry_id);

/**
 * The tests that every memory store must pass. Give each case an empty store:
 *
 *     for (const { name, run } of MEMORY_CONTRACT) test(name, async () => run(await emptyStore()));
 */
export const MEMORY_CONTRACT: readonly MemoryCase[] = [
  {
    name: 'recalls an entry with all fields, also from a second connection',
    run: async ({ open }) => {
      const [store, elsewhere] = [await open(), await open()];
      await store.put(entry('m1'));
      const { entries, broken } = await elsewhere.recall({ tenant: 'tenant_a', now: NOW });
      assert.deepEqual(entries, [entry('m1')]);
      assert.deepEqual(broken, []);
    },
  },
  memoryCase('recalls an entry until it expires', async (store) => {
    await store.put(entry('m1', { expires_at: NOW }));
    assert.deepEqual(ids((await store.recall({ tenant: 'tenant_a', now: NOW - 1 })).entries), ['m1']);
    assert.deepEqual((await store.recall({ tenant: 'tenant_a', now: NOW })).entries, []);
    assert.equal((await store.list('tenant_a')).length, 1);
  }),
  memoryCase('keeps a quarantined entry and never recalls it', async (store) => {
    await store.put(entry('m1'));
    await store.quarantine('tenant_a', 'm1', { reason: 'ungrounded', at: NOW });
    await store.quarantine('tenant_a', 'm1', { reason: 'later', at: NOW + 1 });
    assert.deepEqual((await store.recall({ tenant: 'tenant_a', now: NOW })).entries, []);
    const quarantine = { reason: 'ungrounded', at: NOW };
    assert.deepEqual(await store.list('tenant_a'), [{ entry_id: 'm1', entry: entry('m1'), quarantine }]);
  }),
  memoryCase('separates the entries of tenants', async (store) => {
    await store.put(entry('m1'));
    await store.put(entry('m1', { tenant_id: 'tenant_b', value: 'theirs' }));
    await store.quarantine('tenant_b', 'm1', { reason: 'theirs', at: NOW });
    assert.deepEqual((await store.recall({ tenant: 'tenant_a', now: NOW })).entries, [entry('m1')]);
    assert.deepEqual((await store.recall({ tenant: 'tenant_b', now: NOW })).entries, []);
    assert.deepEqual((await store.recall({ tenant: 'tenant_c', now: NOW })).entries, []);
  }),
  memoryCase('recalls the newest entries first, up to the limit', async (store) => {
    for (const place of [1, 3, 2]) await store.put(entry(`m${place}`, { promoted_at: place }));
    assert.deepEqual(ids((await store.recall({ tenant: 'tenant_a', now: NOW })).entries), ['m3', 'm2', 'm1']);
    assert.deepEqual(ids((await store.recall({ tenant: 'tenant_a', now: NOW, limit: 2 })).entries), ['m3', 'm2']);
  }),
  memoryCase('accepts the same entry twice and refuses another under its id, also in quarantine', async (store) => {
    await store.put(entry('m1'));
    await store.put(entry('m1'));
    await refused(store.put(entry('m1', { value: 'other' })), 'state_write_refused');
    await store.quarantine('tenant_a', 'm1', { reason: 'ungrounded', at: NOW });
    await refused(store.put(entry('m1', { value: 'other' })), 'state_write_refused');
    assert.equal((await store.list('tenant_a')).length, 1);
  }),
  memoryCase('restores only quarantined entries, and then recalls the restored value', async (store) => {
    await store.put(entry('m1', { value: 'poison' }));
    await refused(store.restore(entry('m1')), 'state_write_refused');
    await refused(store.restore(entry('m2')), 'state_write_refused');
    await store.quarantine('tenant_a', 'm1', { reason: 'ungrounded', at: NOW });
    await store.restore(entry('m1'));
    assert.deepEqual((await store.recall({ tenant: 'tenant_a', now: NOW })).entries, [entry('m1')]);
  }),
  memoryCase('refuses an entry without a source, a validator or an expiry', async (store) => {
    const { validator_id: _, ...unvalidated } = entry('m1');
    const { expires_at: __, ...endless } = entry('m1');
    await refused(store.put(entry('m1', { source_links: [] })), 'state_write_refused');
    await refused(store.put(unvalidated as MemoryEntry), 'state_write_refused');
    await refused(store.put(endless as MemoryEntry), 'state_write_refused');
    await refused(store.put(entry('m1', { quarantined: true })), 'state_write_refused');
    assert.deepEqual(await store.list('tenant_a'), []);
  }),
  memoryCase('reports an invalid stored entry as broken and can quarantine it', async (store, { plant }) => {
    await plant('tenant_a', 'm1', JSON.stringify({ ...entry('m1'), source_links: [] }));
    await plant('tenant_a', 'm2', 'not even JSON');
    const { entries, broken } = await store.recall({ tenant: 'tenant_a', now: NOW });
    assert.deepEqual(entries, []);
    assert.deepEqual(broken.map(({ entry_id }) => entry_id).toSorted(), ['m1', 'm2']);
    assert.match(broken.find(({ entry_id }) => entry_id === 'm1')?.why ?? '', /source/);
    for (const { entry_id } of broken) await store.quarantine('tenant_a', entry_id, { reason: 'broken', at: NOW });
    assert.deepEqual(await store.recall({ tenant: 'tenant_a', now: NOW }), { entries: [], broken: [] });
  }),
  memoryCase("is not affected by later changes to a caller's objects", async (store) => {
    const value = { total: 42 };
    await store.put(entry('m1', { value }));
    value.total = 1;
    assert.deepEqual((await store.recall({ tenant: 'tenant_a', now: NOW })).entries, [entry('m1')]);
  }),
];
