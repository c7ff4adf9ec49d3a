import assert from 'node:assert/strict';
import { sealFrame } from '../../../model/events/frame.ts';
import { toBlob } from '../../../model/json/blob.ts';
import type { Hash } from '../../../model/json/hash.ts';
import type { Journal } from '../../../ports/journal/journal.ts';
import { type JournalCase, type JournalStore, journalCase, refused, type Tampering } from './case.ts';
import { draft, grow } from './draft.ts';

/** Changes of stored bytes, each with the frame that the fault must name. */
const CHANGES: readonly { readonly name: string; readonly change: Tampering; readonly names: number }[] = [
  {
    name: 'detects one changed character in a frame',
    change: { kind: 'alter_frame', session: 'sess_1', seq: 3, events: '[{"type":"time_passed","at":4}]' },
    names: 3,
  },
  {
    name: 'detects a frame that was reformatted',
    change: { kind: 'alter_frame', session: 'sess_1', seq: 2, events: '[{"type":"time_passed", "at":2}]' },
    names: 2,
  },
  {
    name: 'detects one changed character in the first frame',
    change: { kind: 'alter_frame', session: 'sess_1', seq: 1, events: '[{"type":"time_passed","at":2}]' },
    names: 1,
  },
  { name: 'detects a removed frame', change: { kind: 'remove_frame', session: 'sess_1', seq: 2 }, names: 2 },
  { name: 'detects a removed first frame', change: { kind: 'remove_frame', session: 'sess_1', seq: 1 }, names: 1 },
  { name: 'detects a removed last frame', change: { kind: 'remove_frame', session: 'sess_1', seq: 5 }, names: 5 },
  {
    name: 'detects two swapped frames',
    change: { kind: 'swap_frames', session: 'sess_1', seq: 3 },
    names: 3,
  },
];

function found({ name, change, names }: (typeof CHANGES)[number]): JournalCase {
  return journalCase(name, async (journal, store) => {
    await grow(journal, store.hash, 5);
    await grow(journal, store.hash, 2, { session: 'sess_2' });
    await store.tamper(change);
    const again = await store.open();
    const fault = await refused(again.load('sess_1'), 'store_corrupt');
    assert.equal(fault.path, `/frames/${names}`, fault.message);
    if (names === 1) assert.equal((await refused(again.first('sess_1'), 'store_corrupt')).path, '/frames/1');
    else assert.equal((await again.first('sess_1'))?.seq, 1);
    assert.equal((await journal.load('sess_2')).length, 2);
  });
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

/** Stored bytes are accepted only if their hashes match. */
export const INTEGRITY: readonly JournalCase[] = [
  ...CHANGES.map(found),
  journalCase('detects a forged last frame with a valid hash', async (journal, { hash, tamper }) => {
    const head = await grow(journal, hash, 2);
    const { events, hash: forged } = sealFrame({ ...head, events: '["forged"]' }, hash);
    await tamper({ kind: 'alter_frame', session: 'sess_1', seq: 2, events, hash: forged });
    const fault = await refused(journal.load('sess_1'), 'store_corrupt');
    assert.equal(fault.path, '/frames/2', fault.message);
  }),
  journalCase('detects a removed frame from any starting point', async (journal, { hash, tamper }) => {
    await grow(journal, hash, 3);
    await tamper({ kind: 'remove_frame', session: 'sess_1', seq: 3 });
    for (const from of [1, 2, 3]) {
      const fault = await refused(journal.load('sess_1', from), 'store_corrupt');
      assert.equal(fault.path, '/frames/3', fault.message);
    }
  }),
  { name: 'detects one changed character in a blob or checkpoint', run: alteredBlob },
];
