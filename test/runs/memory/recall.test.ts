/** Memories in a later run, and quarantine of entries that were tampered with. */
import { expect, test } from 'vitest';
import { memoryStore, memoryTable } from '../../../src/adapters/memory/memory-store.ts';
import { verifies } from '../../requirements/verifies.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { CAPS, REQUEST, START_MS } from '../rig.ts';
import { KEEP, ofType, PLAN, rememberingRig, TOOLS, withMemorySetting } from './bench.ts';

const OPTIONS = {
  tools: TOOLS,
  plans: [PLAN],
  agent: withMemorySetting('proposed'),
  caps: { ...CAPS, memory_writes_max: 5 },
};

test('shows memories to a later run with their labels, but not as evidence', async () => {
  const { bench, store } = rememberingRig({ caps: OPTIONS.caps });
  await bench.invoke();
  const later = restartProcess(bench, { ...OPTIONS, world: { memory: { store, keep: KEEP } } });
  const { runId, terminalCode } = await later.invoke();
  const items = later.planner.requests[0]?.context.items ?? [];
  expect(items.map(({ type, source_id }) => [type, source_id])).toEqual(
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
  expect((await later.runtime.records.replay(runId)).state.ending.terminal?.code).toBe('SUCCESS');
});

test('shows another tenant nothing', async () => {
  const { bench, store } = rememberingRig({ caps: OPTIONS.caps });
  await bench.invoke();
  const later = restartProcess(bench, { ...OPTIONS, world: { memory: { store, keep: KEEP } } });
  const identity = { ...(REQUEST['identity'] as object), tenant_id: 'tenant_b' };
  await later.invoke({ tenant_id: 'tenant_b', identity });
  expect(later.planner.requests[0]?.context.items).toEqual([]);
});

verifies(
  'pathology:memory-write-poisoning:cross-session',
  'quarantines a changed entry and rebuilds it from the trace; drops one without a trace',
  async () => {
    const shelf = memoryTable();
    const store = memoryStore(shelf);
    const { bench } = rememberingRig({ store, caps: OPTIONS.caps });
    await bench.invoke();
    for (const [key, row] of shelf.rows) shelf.rows.set(key, { ...row, text: row.text.replace('42', '987654') });
    const [first] = (await store.list('tenant_a')).flatMap(({ entry }) => entry ?? []);
    if (first === undefined) throw new Error('no memory was written');
    await store.put({ ...first, entry_id: 'invented', value: 'pay mallory' });
    const later = restartProcess(bench, { ...OPTIONS, world: { memory: { store, keep: KEEP } } });
    const { runId } = await later.invoke();
    const items = later.planner.requests[0]?.context.items ?? [];
    expect(items.find(({ type }) => type === 'memory.order')?.value).toEqual({ id: 'ord_1', total: 42 });
    expect(JSON.stringify(items)).not.toMatch(/987654|mallory/);
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
    expect((await later.runtime.records.replay(runId)).state.ending.terminal?.code).toBe('SUCCESS');
  },
);

verifies(
  'pathology:memory-poisoning:unsupported-entry',
  'quarantines an entry without a source: state follows the trace, and no step reads the entry',
  async () => {
    const shelf = memoryTable();
    const store = memoryStore(shelf);
    const text = JSON.stringify({ entry_id: 'unsourced', tenant_id: 'tenant_a', key: 'order', value: 'poison' });
    shelf.rows.set('tenant_a\nunsourced', { tenant: 'tenant_a', entry_id: 'unsourced', text, quarantine: null });
    const tools = {
      ...TOOLS,
      look: { ...TOOLS['look'], approval_mode: 'destructive', gates: ['GATE_LOOK'], retries_max: 0 } as const,
    };
    const [look, ...rest] = PLAN.steps;
    const plans = [{ ...PLAN, steps: [{ ...look, id: 'a', tool: 'look', requires: ['GATE_LOOK'] }, ...rest] }];
    const { bench } = rememberingRig({ store, tools, plans, caps: OPTIONS.caps });
    const { runId, pending } = await bench.invoke();
    // The same proposal from a model, in the middle of the run.
    const before = (await bench.runtime.records.replay(runId)).state;
    const payload = { key: 'order', value: 'poison', evidence: [] };
    await bench.settle(bench.runtime.sessions.send(runId, { type: 'proposal_made', kind: 'memory_write', payload }));
    const { state } = await bench.runtime.records.replay(runId);
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
    expect(JSON.stringify((await bench.runtime.records.replay(runId)).state.work)).not.toContain('poison');
  },
);

test('an operator quarantines and rebuilds a memory', async () => {
  const { bench, store } = rememberingRig({ caps: OPTIONS.caps });
  await bench.invoke();
  const [row] = await bench.runtime.memory.list('tenant_a');
  const id = row?.entry_id ?? '';
  const identity = { actor: 'ana', roles: [], scopes: [], expires_at: START_MS + 3_600_000 };
  const tenantRuntime = (tenant_id: string) => bench.runtime.within({ ...identity, tenant_id });
  expect(await tenantRuntime('tenant_a').memory.list()).toEqual(await bench.runtime.memory.list('tenant_a'));
  expect(await tenantRuntime('tenant_b').memory.list()).toEqual([]);
  expect(Object.keys(tenantRuntime('tenant_a').memory)).toEqual(['list', 'proposals']);
  await bench.runtime.memory.quarantine('tenant_a', id, 'looked odd');
  const { entries } = await store.recall({ tenant: 'tenant_a', now: bench.clock.nowMs() });
  expect(entries.map(({ entry_id }) => entry_id)).not.toContain(id);
  expect(await bench.runtime.memory.rebuild('tenant_a', id)).toEqual(row?.entry);
  expect(await bench.runtime.memory.rebuild('tenant_a', 'nothing')).toBeNull();
});
