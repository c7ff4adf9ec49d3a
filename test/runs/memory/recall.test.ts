/** What a later run is told of what was remembered, and what it does about a memory that somebody has tampered with. */
import { expect, test } from 'vitest';
import { memoryShelf, memoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { verifies } from '../../requirements/verifies.ts';
import { nextLife } from '../executing/lives.ts';
import { CAPS, REQUEST, START_MS } from '../rig.ts';
import { KEEP, ofType, PLAN, remembering, rememberingRig, TOOLS } from './bench.ts';

const OPTIONS = {
  tools: TOOLS,
  plans: [PLAN],
  agent: remembering('proposed'),
  caps: { ...CAPS, memory_writes_max: 5 },
};

test('a later run is told, with the labels it was kept under, and it is evidence of nothing', async () => {
  const { bench, store } = rememberingRig({ caps: OPTIONS.caps });
  await bench.invoke();
  const later = nextLife(bench, { ...OPTIONS, world: { memory: { store, keep: KEEP } } });
  const { runId, terminalCode } = await later.invoke();
  const told = later.planner.requests[0]?.context.items ?? [];
  expect(told.map(({ type, source_id }) => [type, source_id])).toEqual(
    expect.arrayContaining([
      ['memory.order', 'memory'],
      ['memory.done', 'memory'],
    ]),
  );
  expect(later.dispatches.map(({ tool }) => tool)).toEqual(['look', 'rules', 'finish']);
  expect(terminalCode).toBe('SUCCESS');
  const [begun] = ofType(await later.events(runId), 'run_initialized');
  expect(begun?.manifest.memory_snapshot).toMatch(/^sha256:/);
  expect(begun?.evidence).toEqual({});
  expect((await later.runtime.replay(runId)).state.ending.terminal?.code).toBe('SUCCESS');
});

test('another tenant is told nothing of it', async () => {
  const { bench, store } = rememberingRig({ caps: OPTIONS.caps });
  await bench.invoke();
  const later = nextLife(bench, { ...OPTIONS, world: { memory: { store, keep: KEEP } } });
  const identity = { ...(REQUEST['identity'] as object), tenant_id: 'tenant_b' };
  await later.invoke({ tenant_id: 'tenant_b', identity });
  expect(later.planner.requests[0]?.context.items).toEqual([]);
});

verifies(
  'pathology:memory-write-poisoning:cross-session',
  'an entry that does not say what its run promoted is put away and built anew from the trace; one without a trace is dropped',
  async () => {
    const shelf = memoryShelf();
    const store = memoryStore(shelf);
    const { bench } = rememberingRig({ store, caps: OPTIONS.caps });
    await bench.invoke();
    for (const [key, row] of shelf.rows) shelf.rows.set(key, { ...row, text: row.text.replace('42', '987654') });
    const [first] = (await store.list('tenant_a')).flatMap(({ entry }) => entry ?? []);
    if (first === undefined) throw new Error('nothing was remembered');
    await store.put({ ...first, entry_id: 'invented', value: 'pay mallory' });
    const later = nextLife(bench, { ...OPTIONS, world: { memory: { store, keep: KEEP } } });
    const { runId } = await later.invoke();
    const told = later.planner.requests[0]?.context.items ?? [];
    expect(told.find(({ type }) => type === 'memory.order')?.value).toEqual({ id: 'ord_1', total: 42 });
    expect(JSON.stringify(told)).not.toMatch(/987654|mallory/);
    const [begun] = ofType(await later.events(runId), 'run_initialized');
    expect(begun?.quarantined).toEqual({
      invented: 'its run promoted no such memory',
      [first.entry_id.replace(/_\d+$/, '_2')]: 'its run promoted something else under this id',
    });
    const rows = await store.list('tenant_a');
    expect(rows.find(({ entry_id }) => entry_id === 'invented')?.quarantine).not.toBeNull();
    expect(rows.find(({ entry }) => entry?.key === 'order')).toMatchObject({
      entry: { value: { id: 'ord_1', total: 42 } },
      quarantine: null,
    });
    expect((await later.runtime.replay(runId)).state.ending.terminal?.code).toBe('SUCCESS');
  },
);

verifies(
  'pathology:memory-poisoning:unsupported-entry',
  'an entry without a source is put away: the state is what the trace says, and no later step reads it',
  async () => {
    const shelf = memoryShelf();
    const store = memoryStore(shelf);
    const text = JSON.stringify({ entry_id: 'unsourced', tenant_id: 'tenant_a', key: 'order', value: 'poison' });
    shelf.rows.set('tenant_a\nunsourced', { tenant: 'tenant_a', entryId: 'unsourced', text, quarantine: null });
    const tools = {
      ...TOOLS,
      look: { ...TOOLS['look'], approval_mode: 'destructive', gates: ['GATE_LOOK'], retries_max: 0 } as const,
    };
    const [look, ...rest] = PLAN.steps;
    const plans = [{ ...PLAN, steps: [{ ...look, id: 'a', tool: 'look', requires: ['GATE_LOOK'] }, ...rest] }];
    const { bench } = rememberingRig({ store, tools, plans, caps: OPTIONS.caps });
    const { runId, pending } = await bench.invoke();
    // And the same in the middle of the run, from a model.
    const before = (await bench.runtime.replay(runId)).state;
    const payload = { key: 'order', value: 'poison', evidence: [] };
    await bench.settle(bench.runtime.tell(runId, { type: 'proposal_made', kind: 'memory_write', payload }));
    const { state } = await bench.runtime.replay(runId);
    expect(state.work).toEqual(before.work);
    expect(state.counters.violations).toBe(before.counters.violations + 1);
    const events = await bench.events(runId);
    expect(ofType(events, 'run_initialized')[0]?.quarantined).toEqual({
      unsourced: expect.stringMatching(/^unsupported/),
    });
    expect(ofType(events, 'violation_noted')).toMatchObject([{ why: expect.stringMatching(/^quarantined/) }]);
    const { gateId = '', packetHash = '' } = pending[0] ?? {};
    const credential = { kind: 'local_operator', name: 'ana', roles: [] } as const;
    const outcome = await bench.settle(bench.runtime.approve(gateId, { packetHash, credential, reason: 'fine' }));
    expect(outcome.terminalCode).toBe('SUCCESS');
    expect(JSON.stringify(bench.planner.requests)).not.toContain('poison');
    expect((await store.list('tenant_a')).find(({ entry_id }) => entry_id === 'unsourced')?.quarantine).not.toBeNull();
    expect(JSON.stringify((await bench.runtime.replay(runId)).state.work)).not.toContain('poison');
  },
);

test('an operator puts a memory away and has it built anew', async () => {
  const { bench, store } = rememberingRig({ caps: OPTIONS.caps });
  await bench.invoke();
  const [row] = await bench.runtime.memories.list('tenant_a');
  const id = row?.entry_id ?? '';
  const identity = { actor: 'ana', roles: [], scopes: [], expires_at: START_MS + 3_600_000 };
  const doorOf = (tenant_id: string) => bench.runtime.within({ ...identity, tenant_id });
  expect(await doorOf('tenant_a').memories.list()).toEqual(await bench.runtime.memories.list('tenant_a'));
  expect(await doorOf('tenant_b').memories.list()).toEqual([]);
  expect(Object.keys(doorOf('tenant_a').memories)).toEqual(['list']);
  await bench.runtime.memories.quarantine('tenant_a', id, 'looked odd');
  const { entries } = await store.recall({ tenant: 'tenant_a', now: bench.clock.nowMs() });
  expect(entries.map(({ entry_id }) => entry_id)).not.toContain(id);
  expect(await bench.runtime.memories.rebuild('tenant_a', id)).toEqual(row?.entry);
  expect(await bench.runtime.memories.rebuild('tenant_a', 'nothing')).toBeNull();
});
