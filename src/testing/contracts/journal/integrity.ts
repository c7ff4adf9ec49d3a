import assert from 'node:assert/strict';
import { toBlob } from '../../../model/blob.ts';
import { sealFrame } from '../../../model/frame.ts';
import type { Hash } from '../../../model/hash.ts';
import type { Journal } from '../../../ports/journal.ts';
import { type JournalCase, type JournalStore, refused, type Tampering } from './case.ts';
import { draft, grow } from './draft.ts';

/** Each change of stored bytes, and the frame that the refusal must name. */
const CHANGES: readonly { readonly name: string; readonly change: Tampering; readonly names: number }[] = [
  {
    name: 'one altered character of a frame is found',
    change: { kind: 'alter_frame', session: 'sess_1', seq: 3, events: '[{"type":"time_passed","at":4}]' },
    names: 3,
  },
  {
    name: 'a frame that was rewritten with the same meaning is found',
    change: { kind: 'alter_frame', session: 'sess_1', seq: 2, events: '[{"type":"time_passed", "at":2}]' },
    names: 2,
  },
  {
    name: 'one altered character of the first frame is found',
    change: { kind: 'alter_frame', session: 'sess_1', seq: 1, events: '[{"type":"time_passed","at":2}]' },
    names: 1,
  },
  { name: 'a removed frame is found', change: { kind: 'remove_frame', session: 'sess_1', seq: 2 }, names: 2 },
  { name: 'a removed first frame is found', change: { kind: 'remove_frame', session: 'sess_1', seq: 1 }, names: 1 },
  { name: 'a removed last frame is found', change: { kind: 'remove_frame', session: 'sess_1', seq: 5 }, names: 5 },
  {
    name: 'two frames that changed places are found',
    change: { kind: 'swap_frames', session: 'sess_1', seq: 3 },
    names: 3,
  },
];

function found({ name, change, names }: (typeof CHANGES)[number]): JournalCase {
  return {
    name,
    run: async (store) => {
      const journal = await store.open();
      await grow(journal, store.hash, 5);
      await grow(journal, store.hash, 2, { session: 'sess_2' });
      await store.tamper(change);
      const again = await store.open();
      const fault = await refused(again.load('sess_1'), 'store_corrupt');
      assert.equal(fault.path, `/frames/${names}`, fault.message);
      if (names === 1) assert.equal((await refused(again.first('sess_1'), 'store_corrupt')).path, '/frames/1');
      else assert.equal((await again.first('sess_1'))?.seq, 1);
      assert.equal((await journal.load('sess_2')).length, 2);
    },
  };
}

async function withCheckpoint(journal: Journal, hash: Hash): Promise<ReturnType<typeof toBlob>> {
  const blob = toBlob('{"after_step":"s1"}', hash);
  const row = { checkpoint_id: 'ck_1', session_id: 'sess_1', seq: 1, address: blob.address };
  await journal.append(draft(hash, { blobs: [blob], rows: { checkpoints: [row] } }));
  return blob;
}

async function alteredBlob({ open, hash, tamper }: JournalStore): Promise<void> {
  const journal = await open();
  const { address } = await withCheckpoint(journal, hash);
  await tamper({ kind: 'alter_blob', address, text: '{"after_step":"s2"}' });
  await refused(journal.blob(address), 'store_corrupt');
  await refused(journal.checkpoint('ck_1'), 'checkpoint_corrupt');
  await refused((await open()).checkpoint('ck_1'), 'checkpoint_corrupt');
}

/** Stored bytes are believed only when their hashes say so. */
export const INTEGRITY: readonly JournalCase[] = [
  ...CHANGES.map(found),
  {
    name: 'a last frame that was forged with a right hash is found',
    run: async ({ open, hash, tamper }) => {
      const journal = await open();
      const head = await grow(journal, hash, 2);
      const { events, hash: forged } = sealFrame({ ...head, events: '["forged"]' }, hash);
      await tamper({ kind: 'alter_frame', session: 'sess_1', seq: 2, events, hash: forged });
      const fault = await refused(journal.load('sess_1'), 'store_corrupt');
      assert.equal(fault.path, '/frames/2', fault.message);
    },
  },
  {
    name: 'what was removed is missed from wherever the loading starts',
    run: async ({ open, hash, tamper }) => {
      const journal = await open();
      await grow(journal, hash, 3);
      await tamper({ kind: 'remove_frame', session: 'sess_1', seq: 3 });
      for (const from of [1, 2, 3]) {
        const fault = await refused(journal.load('sess_1', from), 'store_corrupt');
        assert.equal(fault.path, '/frames/3', fault.message);
      }
    },
  },
  { name: 'one altered character of a blob or checkpoint is found', run: alteredBlob },
];
