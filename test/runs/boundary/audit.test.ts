/** An audit reads a run without blocking or changing it. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { type Frame, sealFrame } from '../../../src/model/events/frame.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, rig } from '../rig.ts';
import { GATED, waitingAtGate } from './waiting.ts';

verifies('boundary:layer-4:audit-reads-without-blocking', 'the frames of a live run are read-only', async () => {
  const { bench } = await waitingAtGate();
  const view = await bench.runtime.records.frames('run_1');
  const [entry] = view;
  if (entry === undefined) throw new Error('nothing to audit');
  expect(() => Object.assign(entry, { events: '[]' })).toThrow(TypeError);
  const [row] = await bench.journal.list({});
  if (row === undefined) throw new Error('no row');
  const forged = sealFrame({ ...entry, events: '[]', writer: 'auditor' }, sha256);
  const session = { ...row, seq: 1, head_hash: forged.hash };
  const projections = { session, gates: [], effects: [], grants: [], intents: [], checkpoints: [] };
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
});

verifies('boundary:layer-4:audit-reads-without-blocking', 'a slow reader does not delay the run', async () => {
  const { bench, gate } = await waitingAtGate();
  const before = await bench.runtime.records.frames('run_1');
  const { promise: thought, resolve: finish } = Promise.withResolvers<void>();
  // The auditor has its own runtime on the same journal and stays in the middle of its read.
  const journal: Journal = {
    ...bench.journal,
    load: async (session) => {
      const frames = await bench.journal.load(session);
      await thought;
      return frames;
    },
  };
  const auditor = rig({ ...GATED, world: { journal } });
  let seen: readonly Frame[] | null = null;
  const reading = auditor.runtime.records.frames('run_1').then((frames) => {
    seen = frames;
  });
  const { gateId, packetHash } = gate;
  const done = await bench.settle(
    bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'seen' }),
  );
  expect(done.terminalCode).toBe('SUCCESS');
  expect(seen).toBeNull();
  finish();
  await reading;
  expect(seen).toEqual(before);
  expect((await bench.runtime.records.frames('run_1')).slice(0, before.length)).toEqual(before);
});
