/** A fork holds its own copy of its parent's past: it continues, replays and is exported without the parent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { storeTools } from '../../src/compose.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { operator, type Rig, type RigOptions, rig } from '../runs/rig.ts';
import { PAYING } from './paid.ts';

const folder = mkdtempSync(join(tmpdir(), 'ambit-fork-'));
const open: Rig[] = [];
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.runtime.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function benchOn(journal: Journal, options: RigOptions = PAYING): Rig {
  const bench = rig({ ...options, world: { journal } });
  open.push(bench);
  return bench;
}

async function approved(bench: Rig, { pending }: RunOutcome): Promise<RunOutcome> {
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  return await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'fine' }));
}

async function forked(bench: Rig, answers = {}): Promise<{ readonly parent: string; readonly fork: RunOutcome }> {
  const { runId: parent } = await approved(bench, await bench.invoke());
  const { state_checkpoints } = await bench.runtime.records.trace(parent);
  const at = state_checkpoints.find(({ after_step }) => after_step === 'a')?.checkpoint_id ?? 'none';
  return { parent, fork: await bench.settle(bench.runtime.records.fork(parent, { at, answers })) };
}

test('a fork continues, replays and is exported after its parent was pruned, and verification reports no damage', async () => {
  const path = join(folder, 'store.db');
  const bench = benchOn(sqliteJournal({ path, hash: sha256 }));
  const { parent, fork } = await forked(bench, { pay: { n: 1 } });
  const now = bench.clock.nowMs() + 1_000;
  const { tenant_id: tenant } = await bench.runtime.records.trace(parent);
  expect(storeTools.prune(path, { tenant, olderThanMs: 0, now }).sessions).toEqual([parent]);
  expect(await approved(bench, fork)).toMatchObject({ runId: fork.runId, terminalCode: 'SUCCESS' });
  await bench.runtime.records.replay(fork.runId);
  expect(await bench.runtime.records.verify()).toMatchObject({ runs: 2, pruned: 1, damaged: [] });
  const there = benchOn(memoryJournal({ hash: sha256 }), { tools: { other: { produces: ['done'] } } });
  await there.runtime.records.import(await bench.runtime.records.export(fork.runId));
  await there.runtime.records.replay(fork.runId);
  expect(await there.runtime.records.verify()).toMatchObject({ runs: 1, pruned: 0, damaged: [] });
});

test.each(['memory', 'sqlite'])('imports parent and forks into one store in any order: %s', async (kind) => {
  const bench = benchOn(memoryJournal({ hash: sha256 }));
  const { parent, fork } = await forked(bench);
  await approved(bench, fork);
  const runIds = [parent, fork.runId];
  for (const order of [runIds, runIds.toReversed()]) {
    const path = join(folder, `${order[0]}.db`);
    const journal = kind === 'memory' ? memoryJournal({ hash: sha256 }) : sqliteJournal({ path, hash: sha256 });
    const there = benchOn(journal, { tools: { other: { produces: ['done'] } } });
    for (const runId of order) await there.runtime.records.import(await bench.runtime.records.export(runId));
    for (const runId of order) await there.runtime.records.replay(runId);
    expect(await there.runtime.records.verify()).toMatchObject({ runs: 2, damaged: [] });
  }
});

test('a second import completes an interrupted one', async () => {
  const bench = benchOn(memoryJournal({ hash: sha256 }));
  const { runId } = await approved(bench, await bench.invoke());
  const file = await bench.runtime.records.export(runId);
  const target = memoryJournal({ hash: sha256 });
  let appendsLeft = 2;
  const full: Journal = {
    ...target,
    append: async (append) => {
      if (appendsLeft === 0) throw new Fault('store_unavailable', 'the disk is full');
      appendsLeft -= 1;
      await target.append(append);
    },
  };
  const there = benchOn(full, { tools: { other: { produces: ['done'] } } });
  await expect(there.runtime.records.import(file)).rejects.toMatchObject({ code: 'store_unavailable' });
  appendsLeft = 1_000;
  expect(await there.runtime.records.import(file)).toMatchObject({ runId, wasHere: false });
  expect(await there.runtime.records.import(file)).toMatchObject({ runId, wasHere: true });
  await there.runtime.records.replay(runId);
  expect(await there.runtime.records.trace(runId)).toEqual(await bench.runtime.records.trace(runId));
});
