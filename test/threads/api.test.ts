/** Threads are listed, read and exported by the operator; a tenant's user reads their own. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import { mailbox, READ } from '../runs/provenance/bench.ts';
import { planOf, REQUEST, type Rig } from '../runs/rig.ts';

const NOTE = planOf([{ id: 'n', tool: 'note' }]);

const say = (bench: Rig, statement: string, more: JsonObject = {}): ReturnType<Rig['invoke']> =>
  bench.invoke({ goal: { statement }, thread: 'th_1', ...more });

const OF = { tenant: 'tenant_a' } as const;

test('a thread is listed with its user and its runs, and read with the trust of every part', async () => {
  const bench = mailbox([planOf([READ, { id: 'n', tool: 'note' }]), NOTE]);
  const first = await say(bench, 'What does my newest mail say?');
  const waiting = await say(bench, 'Note it');
  const { threads } = bench.runtime;
  const [row, ...others] = await threads.list();
  expect(others).toEqual([]);
  expect(row).toMatchObject({ thread: 'th_1', tenantId: 'tenant_a', user: 'agt_worker', agent: 'worker', runs: 2 });
  expect(await threads.list({ user: 'eve' })).toEqual([]);
  const thread = await threads.get('th_1', OF);
  expect(thread.runs).toMatchObject([
    { runId: first.runId, terminalCode: 'SUCCESS' },
    { runId: waiting.runId, status: 'awaiting_gate', terminalCode: null },
  ]);
  expect(thread.messages).toMatchObject([
    { by: 'requester', text: 'What does my newest mail say?', trusted: true, sources: [] },
    { by: 'agent', text: first.text, trusted: false, sources: ['mail', 'note'] },
    { by: 'requester', text: 'Note it', trusted: true },
  ]);
  expect(thread.used).toMatchObject({ tool_calls: 2, side_effects: 1 });
  await expect(threads.get('th_2', OF)).rejects.toMatchObject({ code: 'thread_not_found' });
  await expect(threads.get('th_1', { tenant: 'tenant_b' })).rejects.toMatchObject({ code: 'thread_not_found' });
});

test('its runs are exported together, and each replays elsewhere', async () => {
  const bench = mailbox([NOTE, NOTE]);
  await say(bench, 'Note it');
  await say(bench, 'Note it too');
  const { thread, runs } = await bench.runtime.threads.export('th_1', OF);
  expect(runs.map(({ runId }) => runId)).toEqual(thread.runs.map(({ runId }) => runId));
  const elsewhere = mailbox([]);
  for (const { runId, file } of runs) {
    expect(await elsewhere.runtime.records.import(file)).toMatchObject({ runId });
    await elsewhere.runtime.records.replay(runId);
  }
  // An imported run is read only, so that it continues no thread.
  expect(await elsewhere.runtime.threads.list()).toEqual([]);
});

test('another user of the tenant, and another tenant, read nothing of it', async () => {
  const bench = mailbox([NOTE]);
  await say(bench, 'Note it');
  const as = (actor: string, tenant_id = 'tenant_a') =>
    bench.runtime.within({ ...REQUEST.identity, actor, tenant_id }).threads;
  expect(await as('agt_worker').list()).toHaveLength(1);
  expect(await as('agt_worker').get('th_1')).toMatchObject({ thread: 'th_1' });
  for (const threads of [as('eve'), as('agt_worker', 'tenant_b')]) {
    expect(await threads.list()).toEqual([]);
    await expect(threads.get('th_1')).rejects.toMatchObject({ code: 'thread_not_found' });
  }
});

test('a fork of a message is no message of the thread', async () => {
  const bench = mailbox([NOTE, NOTE]);
  const { runId } = await say(bench, 'Note it');
  const [at] = (await bench.runtime.records.trace(runId)).state_checkpoints;
  const fork = await bench.settle(bench.runtime.records.fork(runId, { at: at?.checkpoint_id ?? '' }));
  expect(fork.runId).not.toBe(runId);
  expect((await bench.runtime.threads.get('th_1', OF)).runs).toHaveLength(1);
});
