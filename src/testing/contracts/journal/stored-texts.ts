import assert from 'node:assert/strict';
import type { Frame } from '../../../model/events/frame.ts';
import { toBlob } from '../../../model/json/blob.ts';
import type { Hash } from '../../../model/json/hash.ts';
import type { Journal } from '../../../ports/journal/journal.ts';
import { effectRow, type JournalCase, journalCase, refused } from './case.ts';
import { draft } from './draft.ts';

/** Appends a frame with the session's next checkpoint, under an id as in real runs: `ck_<session>_<count>`. */
async function nextVerdict(
  journal: Journal,
  hash: Hash,
  session: string,
  count: number,
  after?: Frame,
): Promise<Frame> {
  const blob = toBlob(`{"run_id":"${session}","sequence":${count}}`, hash);
  const seq = (after?.seq ?? 0) + 1;
  const row = { checkpoint_id: `ck_${session}_${count}`, session_id: session, seq, address: blob.address };
  const append = draft(hash, { session, ...(after && { after }), blobs: [blob], rows: { checkpoints: [row] } });
  await journal.append(append);
  return append.frame;
}

/** A large text that compresses well, and one that does not. */
const LARGE: readonly string[] = [
  JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ line: index, said: 'ünï 😀' }))),
  JSON.stringify(Array.from({ length: 5_000 }, (_, index) => Math.sin(index).toString(36))),
];

/** A text is returned unchanged, however the store keeps it. */
export const KEPT_TEXTS: readonly JournalCase[] = [
  journalCase('finds numbered checkpoints by id, and the last one as the latest', async (journal, { open, hash }) => {
    const heads = new Map<string, Frame>();
    for (let count = 1; count <= 4; count += 1) {
      for (const session of ['sess_1', 'sess_2']) {
        const verdict = await nextVerdict(journal, hash, session, count, heads.get(session));
        const between = draft(hash, { after: verdict });
        await journal.append(between);
        heads.set(session, between.frame);
      }
    }
    for (const reader of [journal, await open()]) {
      for (const session of ['sess_1', 'sess_2']) {
        for (let count = 1; count <= 4; count += 1) {
          const { row, text } = await reader.checkpoint(`ck_${session}_${count}`);
          assert.equal(text, `{"run_id":"${session}","sequence":${count}}`);
          assert.equal(row.seq, count * 2 - 1);
          assert.equal(await reader.blob(row.address), text);
          const texts = await reader.texts([session]);
          assert.deepEqual(await texts.checkpoint(`ck_${session}_${count}`), { row, text });
          assert.equal(await texts.blob(row.address), text);
        }
        await refused((await reader.texts([session])).checkpoint(`ck_${session}_5`), 'blob_missing');
        assert.equal((await reader.latestCheckpoint(session))?.checkpoint_id, `ck_${session}_4`);
        await refused(reader.checkpoint(`ck_${session}_5`), 'blob_missing');
      }
    }
  }),
  journalCase('refuses other content under a numbered checkpoint id', async (journal, { hash }) => {
    const first = await nextVerdict(journal, hash, 'sess_1', 1);
    const second = await nextVerdict(journal, hash, 'sess_1', 2, first);
    const other = toBlob('{"sequence":"another"}', hash);
    const taken = { checkpoint_id: 'ck_sess_1_1', session_id: 'sess_1', seq: 3, address: other.address };
    const overwriting = draft(hash, { after: second, blobs: [other], rows: { checkpoints: [taken] } });
    await refused(journal.append(overwriting), 'checkpoint_exists');
    await journal.append(draft(hash, { after: second }));
    assert.equal((await journal.checkpoint('ck_sess_1_1')).row.seq, 1);
  }),
  journalCase(
    "returns results exactly, if they repeat the frame's text or come from an earlier append",
    async (journal, { open, hash }) => {
      const result = toBlob('{"refund_id":"r1","note":"ünï 😀"}', hash);
      const settled = effectRow({
        idempotency_key: 'key_1',
        session_id: 'sess_1',
        state: 'settled',
        result: result.address,
      });
      const events = `[{"type":"step_observed","raw":${result.text}}]`;
      const first = draft(hash, { events, blobs: [result], rows: { effects: [settled] } });
      await journal.append(first);
      const again = { ...settled, idempotency_key: 'key_2' };
      await journal.append(draft(hash, { after: first.frame, rows: { effects: [again] } }));
      for (const reader of [journal, await open()]) {
        assert.equal(await reader.blob(result.address), result.text);
        assert.deepEqual(await reader.effects('sess_1'), [settled, again]);
        assert.deepEqual(await reader.effect('sess_1', 'key_2'), again);
        const texts = await reader.texts(['sess_1']);
        assert.deepEqual(texts.effects('sess_1'), [settled, again]);
        assert.equal(await texts.blob(result.address), result.text);
        assert.equal((await reader.load('sess_1'))[0]?.events, events);
      }
    },
  ),
  journalCase('returns large frames, texts and results exactly', async (journal, { open, hash }) => {
    for (const [index, text] of LARGE.entries()) {
      const session = `sess_${index}`;
      const [shared, result] = [toBlob(text, hash), toBlob(`[${text}]`, hash)];
      const row = effectRow({ idempotency_key: `key_${index}`, session_id: session, result: result.address });
      const append = draft(hash, { session, events: text, blobs: [shared, result], rows: { effects: [row] } });
      await journal.append(append);
      const reader = await open();
      assert.deepEqual(await reader.load(session), [append.frame]);
      assert.equal(await reader.blob(shared.address), text);
      assert.equal(await reader.blob(result.address), `[${text}]`);
      const texts = await reader.texts([session]);
      assert.equal(await texts.blob(shared.address), text);
      assert.equal(await texts.blob(result.address), `[${text}]`);
    }
  }),
];
