/** Tests that a decision in the store permits nothing without the proof that the enrolled keys require. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { signer } from '../gates/bench.ts';
import { type Rig, rig } from '../rig.ts';
import { payment } from './payment.ts';

const FORGER = new URL('./forger-process.ts', import.meta.url).pathname;

test('an approval that a process without a key recorded does not pay', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-forged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'run.db');
  const keys = memoryKeys();
  await signer(keys, 'ana');
  const keyed = (): Rig =>
    rig(payment({ world: { journal: sqliteJournal({ path, hash: sha256 }), policy: { approvers: { keys } } } }));

  const before = keyed();
  const { runId } = await before.invoke();
  await before.runtime.close();
  const forger = spawnSync(process.execPath, [FORGER, path], { encoding: 'utf8' });
  expect([forger.signal, forger.stderr]).toEqual(['SIGKILL', '']);

  const bench = keyed();
  const resumed = bench.settle(bench.runtime.resume(runId));
  await expect(resumed).rejects.toMatchObject({
    code: 'decision_unproven',
    message: expect.stringMatching(
      /gate_decided by ana at .* in run_1 is unproven: it is not signed; .*sessions terminate run_1/,
    ),
  });
  expect(bench.dispatches).toEqual([]);
  const unproven = [{ run_id: runId, event: 'gate_decided', by: 'ana', cause: 'unsigned' }];
  expect(await bench.runtime.records.verify()).toMatchObject({ damaged: [], proofs: { checked: 1, unproven } });
  expect(await bench.runtime.records.replay(runId)).toMatchObject({ proofs: { unproven } });
  expect(await bench.runtime.records.audit(runId)).toMatchObject([{ tool: 'pay', missing: ['GATE_FINANCE'] }]);
  await bench.runtime.close();

  // The kernel does not look at proofs: a replay without keys derives the same, and says that it had no keys.
  const unkeyed = rig(payment({ world: { journal: sqliteJournal({ path, hash: sha256 }) } }));
  expect(await unkeyed.runtime.records.replay(runId)).toMatchObject({ proofs: 'not checked' });
  await unkeyed.runtime.close();
});
