/** What people were shown is part of a run: where it was altered afterwards, a replay says so. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { operator, planOf, rig } from '../runs/rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'ambit-packet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('another amount in the packet that was approved is found by a replay', async () => {
  const path = join(folder, 'store.db');
  const bench = rig({
    tools: { pay: { approval_mode: 'destructive', gates: ['GATE_FINANCE'], side_effect: true, produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'pay', params: { cents: 1_200 }, requires: ['GATE_FINANCE'] }])],
    world: { journal: sqliteJournal({ path, hash: sha256 }) },
  });
  const { runId, pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'fine' }));
  await bench.runtime.replay(runId);
  const file = new DatabaseSync(path);
  const alter = 'update blobs set text = replace(text, \'"cents":1200\', \'"cents":1300\') where address = ?';
  expect(file.prepare(alter).run(packetHash).changes).toBe(1);
  file.close();
  const said = bench.runtime.replay(runId);
  await expect(said).rejects.toMatchObject({ code: 'store_corrupt' });
  await expect(said).rejects.toThrow(packetHash);
  await bench.runtime.close();
});
