/** Forks of imported runs make no calls at all, and real forks need an operator of the run's tenant. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { OperatorCredential } from '../../src/ports/approvers.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import { countingIds, operator, planOf, type Rig, type RigOptions, rig } from '../runs/rig.ts';

const KEYED = { kind: 'key', retention_ms: 600_000 } as const;

const OPTIONS: RigOptions = {
  tools: {
    look: { execute: () => ({ total: 42 }) },
    search: { execute: ({ q }) => ({ found: q ?? null }) },
    note: {
      approval_mode: 'local_write',
      side_effect: true,
      idempotency: KEYED,
      produces: ['done'],
      execute: () => ({ noted: 1 }),
    },
  },
  plans: [
    planOf([
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'search', params: { q: 'payroll' }, depends_on: ['a'] },
      { id: 'c', tool: 'note', depends_on: ['b'] },
    ]),
  ],
};

/** The identity that a stranger gave the run of the bundle. */
const STRANGER = {
  identity: {
    actor: 'ceo',
    tenant_id: 'tenant_a',
    roles: ['worker'],
    scopes: ['all'],
    expires_at: 4_000_000_000_000,
  },
};

/** The checkpoints of the verdicts on the plan and on its first two steps. */
const AT = ['ck_run_1_1', 'ck_run_1_2', 'ck_run_1_3'] as const;
const [ON_PLAN, ON_LOOK, ON_SEARCH] = AT;

async function bundle(options = OPTIONS): Promise<Uint8Array> {
  const bench = rig(options);
  const { runId } = await bench.invoke(STRANGER);
  return await bench.runtime.records.export(runId);
}

function elsewhere(journal: Journal = memoryJournal({ hash: sha256 }), options = OPTIONS): Rig {
  const names = countingIds();
  const ids = { next: (prefix: string) => names.next(`${prefix}_there`) };
  return rig({ ...options, plans: [], world: { ids, journal } });
}

test('a fork of an imported run answers reads from the record and makes no call', async () => {
  const file = await bundle();
  const there = elsewhere();
  await there.runtime.records.import(file);
  for (const at of AT) {
    const forked = await there.settle(there.runtime.records.fork('run_1', { at }));
    expect(forked.terminalCode).toBe('SUCCESS');
    await there.runtime.records.replay(forked.runId);
  }
  expect(there.dispatches).toEqual([]);
  const event = (await there.events('run_there_1')).find(({ type }) => type === 'run_forked');
  expect(event).toMatchObject({ simulate: true, imported: true, by: 'ambit:simulation' });
});

test('a read that the record does not answer fails in a fork of an imported run', async () => {
  const failing = { ...OPTIONS.tools, search: { retries_max: 0, execute: () => Promise.reject(new Error('down')) } };
  const options = { ...OPTIONS, tools: failing };
  const file = await bundle(options);
  const there = elsewhere(undefined, options);
  await there.runtime.records.import(file);
  const forked = await there.settle(there.runtime.records.fork('run_1', { at: ON_LOOK }));
  expect(forked.terminalCode).not.toBe('SUCCESS');
  const seen = (await there.events(forked.runId)).filter((event) => event.type === 'step_observed');
  expect(seen.at(-1)).toMatchObject({ outcome: 'error', detail: expect.stringContaining('neither the record nor') });
  expect(there.dispatches).toEqual([]);
  const answered = await there.settle(
    there.runtime.records.fork('run_1', {
      at: ON_LOOK,
      answers: { search: { found: 'declared' }, note: { noted: 2 } },
    }),
  );
  expect(answered.terminalCode).toBe('SUCCESS');
  expect(there.dispatches).toEqual([]);
});

test('a fork of a fork of an imported run makes no call either, and a resumed one neither', async () => {
  const file = await bundle();
  const journal = memoryJournal({ hash: sha256 });
  const there = elsewhere(journal);
  await there.runtime.records.import(file);
  const first = await there.settle(there.runtime.records.fork('run_1', { at: ON_PLAN }));
  const { state_checkpoints } = await there.runtime.records.trace(first.runId);
  const inFork = state_checkpoints.find(({ judged }) => judged === 'plan')?.checkpoint_id ?? '';
  const second = await there.settle(there.runtime.records.fork(first.runId, { at: inFork }));
  expect(second.terminalCode).toBe('SUCCESS');
  expect(there.dispatches).toEqual([]);
  const forked = (await there.events(second.runId)).findLast(({ type }) => type === 'run_forked');
  expect(forked).toMatchObject({ parent: { run_id: first.runId }, imported: true });
});

test('an imported run, a fork of one and a simulated fork cannot be forked for real', async () => {
  const file = await bundle();
  const there = elsewhere();
  await there.runtime.records.import(file);
  const how = { simulate: false, credential: operator('ben', ['operator']), reason: 'really' };
  await expect(there.runtime.records.fork('run_1', { at: ON_PLAN, ...how })).rejects.toMatchObject({
    code: 'state_write_refused',
    message: expect.stringContaining('imported'),
  });
  const { runId } = await there.settle(there.runtime.records.fork('run_1', { at: ON_PLAN }));
  await expect(there.runtime.records.fork(runId, { at: `ck_${runId}_1`, ...how })).rejects.toMatchObject({
    code: 'state_write_refused',
  });
  expect(there.dispatches).toEqual([]);

  const own = rig(OPTIONS);
  await own.invoke();
  const sent = own.dispatches.length;
  const invented = { search: { found: 'invented' } };
  const simulated = await own.settle(own.runtime.records.fork('run_1', { at: 'ck_run_1_1', answers: invented }));
  const { state_checkpoints } = await own.runtime.records.trace(simulated.runId);
  const last = state_checkpoints.findLast(({ judged }) => judged === 'step')?.checkpoint_id ?? '';
  await expect(own.runtime.records.fork(simulated.runId, { at: last, ...how })).rejects.toMatchObject({
    code: 'state_write_refused',
    message: expect.stringContaining('simulated'),
  });
  expect(own.dispatches.slice(sent).filter(({ tool }) => tool === 'note')).toEqual([]);
});

test('the copied past of a fork that was never completed cannot be forked', async () => {
  const file = await bundle();
  const kept = memoryJournal({ hash: sha256 });
  const dying: Journal = {
    ...kept,
    append: async (append) => {
      if (append.frame.events.includes('"type":"run_forked"')) throw new Error('the process is gone');
      await kept.append(append);
    },
  };
  const there = elsewhere(dying);
  await there.runtime.records.import(file);
  await expect(there.runtime.records.fork('run_1', { at: ON_SEARCH })).rejects.toThrow('the process is gone');
  const later = elsewhere(kept);
  const how = { simulate: false, credential: operator('ben', ['operator']), reason: 'really' };
  for (const options of [{}, how]) {
    await expect(later.runtime.records.fork('run_there_1', { at: ON_PLAN, ...options })).rejects.toMatchObject({
      code: 'state_write_refused',
      message: expect.stringContaining('never completed'),
    });
  }
  expect([there.dispatches, later.dispatches]).toEqual([[], []]);
});

test.each<[string, OperatorCredential, string]>([
  ['the requester', operator('agt_worker', ['operator']), 'permission_denied'],
  ['the requester in another spelling', operator('AGT_Worker', ['operator']), 'permission_denied'],
  ['a person without the operator role', operator('ana', ['finance']), 'operator_required'],
  ['a person without a role', operator('ana'), 'operator_required'],
  ['a name that is none', operator('ben the great', ['operator']), 'approver_missing'],
])('%s cannot fork for real', async (_, credential, code) => {
  const bench = rig(OPTIONS);
  await bench.invoke();
  const sent = bench.dispatches.length;
  const forking = bench.runtime.records.fork('run_1', { at: 'ck_run_1_1', simulate: false, credential, reason: 'x' });
  await expect(bench.settle(forking)).rejects.toMatchObject({ code });
  expect(bench.dispatches).toHaveLength(sent);
  expect(await bench.runtime.sessions.list()).toHaveLength(1);
});

test('an operator of another tenant cannot fork for real', async () => {
  const authenticator = {
    identify: async () => ({ name: 'ben', tenantId: 'tenant_b', roles: ['operator'] }),
  };
  const bench = rig({ ...OPTIONS, world: { policy: { approvers: { authenticator } } } });
  await bench.invoke();
  const sent = bench.dispatches.length;
  const credential = operator('ben', ['operator']);
  await expect(
    bench.runtime.records.fork('run_1', { at: 'ck_run_1_1', simulate: false, credential }),
  ).rejects.toMatchObject({ code: 'permission_denied', message: expect.stringContaining('tenant_b') });
  expect(bench.dispatches).toHaveLength(sent);
});
