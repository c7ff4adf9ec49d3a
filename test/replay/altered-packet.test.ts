/** A decision packet is part of a run: replay detects if it was altered afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { operator, planOf, rig } from '../runs/rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'ambit-packet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('replay detects an altered amount in the approved packet', async () => {
  const path = join(folder, 'store.db');
  const bench = rig({
    tools: { pay: { approval_mode: 'destructive', gates: ['GATE_FINANCE'], side_effect: true, produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'pay', params: { cents: 1_200 }, requires: ['GATE_FINANCE'] }])],
    world: { journal: sqliteJournal({ path, hash: sha256 }) },
  });
  const { runId, pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'fine' }));
  await bench.runtime.records.replay(runId);
  const file = new DatabaseSync(path);
  const alter = 'update blobs set text = replace(text, \'"cents":1200\', \'"cents":1300\') where address = ?';
  expect(file.prepare(alter).run(packetHash).changes).toBe(1);
  file.close();
  const replayed = bench.runtime.records.replay(runId);
  await expect(replayed).rejects.toMatchObject({ code: 'store_corrupt' });
  await expect(replayed).rejects.toThrow(packetHash);
  await bench.runtime.close();
});
