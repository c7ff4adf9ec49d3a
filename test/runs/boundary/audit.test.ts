/** Whoever audits a run reads it. The run neither waits for them nor is changed by them. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { sealFrame } from '../../../src/model/frame.ts';
import { verifies } from '../../requirements/verifies.ts';
import { waitingAtGate } from './waiting.ts';

verifies('boundary:layer-4:audit-reads-without-blocking', 'a view of a live run cannot be written to', async () => {
  const { bench, gate } = await waitingAtGate();
  let finish = (): void => undefined;
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const view = await bench.runtime.frames('run_1');
  const [entry] = view;
  if (entry === undefined) throw new Error('nothing to audit');
  expect(() => Object.assign(entry, { events: '[]' })).toThrow(TypeError);
  const [row] = await bench.journal.list({});
  if (row === undefined) throw new Error('no row');
  const forged = sealFrame({ ...entry, events: '[]', writer: 'auditor' }, sha256);
  const session = { ...row, seq: 1, head_hash: forged.hash };
  const projections = { session, gates: [], effects: [], grants: [], checkpoints: [] };
  await expect(
    bench.journal.append({
      session: 'run_1',
      expectedSeq: 0,
      frame: forged,
      blobs: [],
      projections,
      writer: 'auditor',
    }),
  ).rejects.toMatchObject({ code: 'fenced' });

  let read = false;
  const reading = bench.runtime.replay('run_1').then(async () => {
    await slow;
    read = true;
  });
  const { gateId, packetHash } = gate;
  const done = await bench.settle(bench.runtime.approve({ gateId, packetHash, approver: 'lead_1', reason: 'seen' }));
  expect(done.terminalCode).toBe('SUCCESS');
  expect(read).toBe(false);
  finish();
  await reading;
  expect((await bench.runtime.frames('run_1')).slice(0, view.length)).toEqual(view);
});
