/** A fork has its parent's past for itself: it goes on, replays and travels whether the parent is there or not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { storeTools } from '../../src/compose.ts';
import { Fault } from '../../src/model/fault.ts';
import type { Journal } from '../../src/ports/journal.ts';
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
  const { state_checkpoints } = await bench.runtime.trace(parent);
  const at = state_checkpoints.find(({ after_step }) => after_step === 'a')?.checkpoint_id ?? 'none';
  return { parent, fork: await bench.settle(bench.runtime.fork(parent, { at, answers })) };
}

test('a fork whose parent was pruned goes on, replays and is exported, and what was pruned is no damage', async () => {
  const path = join(folder, 'store.db');
  const bench = benchOn(sqliteJournal({ path, hash: sha256 }));
  const { parent, fork } = await forked(bench, { pay: { n: 1 } });
  const now = bench.clock.nowMs() + 1_000;
  const { tenant_id: tenant } = await bench.runtime.trace(parent);
  expect(storeTools.prune(path, { tenant, olderThanMs: 0, now }).sessions).toEqual([parent]);
  expect(await approved(bench, fork)).toMatchObject({ runId: fork.runId, terminalCode: 'SUCCESS' });
  await bench.runtime.replay(fork.runId);
  expect(await bench.runtime.verifyChain()).toMatchObject({ runs: 2, pruned: 1, damaged: [] });
  const there = benchOn(memoryJournal({ hash: sha256 }), { tools: { other: { produces: ['done'] } } });
  await there.runtime.importRun(await bench.runtime.exportRun(fork.runId));
  await there.runtime.replay(fork.runId);
  expect(await there.runtime.verifyChain()).toMatchObject({ runs: 1, pruned: 0, damaged: [] });
});

test.each(['memory', 'sqlite'])('parent and forks are brought to one store in any order: %s', async (kind) => {
  const bench = benchOn(memoryJournal({ hash: sha256 }));
  const { parent, fork } = await forked(bench);
  await approved(bench, fork);
  const runIds = [parent, fork.runId];
  for (const order of [runIds, runIds.toReversed()]) {
    const path = join(folder, `${order[0]}.db`);
    const journal = kind === 'memory' ? memoryJournal({ hash: sha256 }) : sqliteJournal({ path, hash: sha256 });
    const there = benchOn(journal, { tools: { other: { produces: ['done'] } } });
    for (const runId of order) await there.runtime.importRun(await bench.runtime.exportRun(runId));
    for (const runId of order) await there.runtime.replay(runId);
    expect(await there.runtime.verifyChain()).toMatchObject({ runs: 2, damaged: [] });
  }
});

test('a file that was brought half way is brought to its end by whoever brings it again', async () => {
  const bench = benchOn(memoryJournal({ hash: sha256 }));
  const { runId } = await approved(bench, await bench.invoke());
  const file = await bench.runtime.exportRun(runId);
  const whole = memoryJournal({ hash: sha256 });
  let room = 2;
  const full: Journal = {
    ...whole,
    append: async (append) => {
      if (room === 0) throw new Fault('store_unavailable', 'the disk is full');
      room -= 1;
      await whole.append(append);
    },
  };
  const there = benchOn(full, { tools: { other: { produces: ['done'] } } });
  await expect(there.runtime.importRun(file)).rejects.toMatchObject({ code: 'store_unavailable' });
  room = 1_000;
  expect(await there.runtime.importRun(file)).toMatchObject({ runId, wasHere: false });
  expect(await there.runtime.importRun(file)).toMatchObject({ runId, wasHere: true });
  await there.runtime.replay(runId);
  expect(await there.runtime.trace(runId)).toEqual(await bench.runtime.trace(runId));
});
