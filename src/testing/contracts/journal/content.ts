import assert from 'node:assert/strict';
import { toBlob } from '../../../model/json/blob.ts';
import type { CheckpointRow } from '../../../ports/journal/rows.ts';
import { type JournalCase, journalCase, refused } from './case.ts';
import { draft } from './draft.ts';

/** Content stored under an address or an id never changes. */
export const CONTENT: readonly JournalCase[] = [
  journalCase('stores a text once under one address and returns it exactly', async (journal, { hash }) => {
    const texts = ['', '{}', 'nul \0 inside', '\uFEFFmark', 'line\r\nbreaks\u2028', 'ünï 😀', 'x'.repeat(100_000)];
    const blobs = texts.map((text) => toBlob(text, hash));
    const first = draft(hash, { blobs: [...blobs, ...blobs] });
    await journal.append(first);
    await journal.append(draft(hash, { after: first.frame, blobs }));
    for (const { address, text } of blobs) assert.equal(await journal.blob(address), text);
  }),
  journalCase('reports a missing blob', async (journal, { hash }) => {
    await refused(journal.blob(toBlob('nobody wrote this', hash).address), 'blob_missing');
    await refused(journal.checkpoint('ck_none'), 'blob_missing');
    assert.equal(await journal.latestCheckpoint('sess_none'), null);
  }),
  journalCase('refuses a text under the address of another', async (journal, { hash }) => {
    const kept = toBlob('the original', hash);
    const first = draft(hash, { blobs: [kept] });
    await journal.append(first);
    const forged = { address: kept.address, text: 'the forgery' };
    const fault = await refused(journal.append(draft(hash, { after: first.frame, blobs: [forged] })), 'input_invalid');
    assert.equal(fault.path, '/blobs/0');
    assert.equal(await journal.blob(kept.address), 'the original');
    assert.equal((await journal.load('sess_1')).length, 1);
  }),
  journalCase('refuses other content under a known checkpoint id', async (journal, { hash }) => {
    const [original, other] = [toBlob('{"v":1}', hash), toBlob('{"v":2}', hash)];
    const row: CheckpointRow = { checkpoint_id: 'ck_1', session_id: 'sess_1', seq: 1, address: original.address };
    const first = draft(hash, { blobs: [original], rows: { checkpoints: [row] } });
    await journal.append(first);
    const taken = { ...row, seq: 2, address: other.address };
    const overwriting = draft(hash, { after: first.frame, blobs: [other], rows: { checkpoints: [taken] } });
    await refused(journal.append(overwriting), 'checkpoint_exists');
    await refused(journal.blob(other.address), 'blob_missing');
    const again = draft(hash, { after: first.frame, blobs: [original], rows: { checkpoints: [{ ...row, seq: 2 }] } });
    await journal.append(again);
    assert.deepEqual(await journal.checkpoint('ck_1'), { row, text: '{"v":1}' });
  }),
  journalCase('returns the latest checkpoint, from which a session resumes', async (journal, { hash }) => {
    let append = draft(hash);
    await journal.append(append);
    for (let count = 1; count <= 3; count += 1) {
      const blob = toBlob(`{"count":${count}}`, hash);
      const { seq } = append.frame;
      const row = { checkpoint_id: `ck_${count}`, session_id: 'sess_1', seq: seq + 1, address: blob.address };
      append = draft(hash, { after: append.frame, blobs: [blob], rows: { checkpoints: [row] } });
      await journal.append(append);
    }
    const tail = draft(hash, { after: append.frame });
    await journal.append(tail);
    const latest = await journal.latestCheckpoint('sess_1');
    assert(latest !== null);
    assert.equal(latest.checkpoint_id, 'ck_3');
    assert.deepEqual(await journal.load('sess_1', latest.seq + 1), [tail.frame]);
    assert.equal((await journal.checkpoint(latest.checkpoint_id)).text, '{"count":3}');
  }),
  journalCase("is not affected by later changes to a caller's objects", async (journal, { hash }) => {
    const blob = toBlob('{"v":1}', hash);
    const row: CheckpointRow = { checkpoint_id: 'ck_1', session_id: 'sess_1', seq: 1, address: blob.address };
    const append = draft(hash, { blobs: [blob], rows: { checkpoints: [row] } });
    await journal.append(append);
    Object.assign(row, { address: 'sha256:other' });
    Object.assign(append.projections.session, { status: 'failed' });
    const read = async (): Promise<object[]> => [
      ...(await journal.load('sess_1')),
      ...(await journal.list({})),
      (await journal.checkpoint('ck_1')).row,
    ];
    const before = structuredClone(await read());
    for (const held of await read()) assert.throws(() => Object.assign(held, { seq: 99, hash: '', address: '' }));
    assert.deepEqual(structuredClone(await read()), before);
    assert.equal((await journal.checkpoint('ck_1')).text, '{"v":1}');
  }),
];
