import assert from 'node:assert/strict';
import { toBlob } from '../../../model/json/blob.ts';
import type { Hash } from '../../../model/json/hash.ts';
import type { Append, Journal } from '../../../ports/journal/journal.ts';
import { effectRow, grantUse, type JournalCase, journalCase, refused, sampleGateRow } from './case.ts';
import { type DraftAppend, draft } from './draft.ts';

/** An append with content in every part, so that a partial write is noticed. */
function full(hash: Hash, id: string, options: DraftAppend = {}): Append {
  const session = options.session ?? options.after?.session ?? 'sess_1';
  const blob = toBlob(`{"content":"of ${id}"}`, hash);
  return draft(hash, {
    ...options,
    session,
    blobs: [blob],
    rows: {
      gates: [sampleGateRow({ gate_id: `gate_${id}`, session_id: session })],
      effects: [effectRow({ idempotency_key: `key_${id}`, session_id: session, result: blob.address })],
      grants: [grantUse({ grant_id: `grant_${id}`, session_id: session })],
      checkpoints: [
        {
          checkpoint_id: `ck_${id}`,
          session_id: session,
          seq: (options.after?.seq ?? 0) + 1,
          address: blob.address,
        },
      ],
      ...options.rows,
    },
  });
}

async function assertNothingOf(journal: Journal, append: Append, id: string): Promise<void> {
  const { session, frame, blobs } = append;
  const stored = await journal.load(session);
  assert(!stored.some(({ hash }) => hash === frame.hash));
  for (const { address } of blobs) await refused(journal.blob(address), 'blob_missing');
  const [row] = (await journal.list({})).filter(({ session_id }) => session_id === session);
  assert.equal(row?.head_hash, stored.at(-1)?.hash);
  assert(!(await journal.gates({ session })).some(({ gate_id }) => gate_id === `gate_${id}`));
  assert(!(await journal.effects(session)).some(({ idempotency_key }) => idempotency_key === `key_${id}`));
  await refused(journal.checkpoint(`ck_${id}`), 'blob_missing');
}

/** A frame, its blobs and its rows are stored together or not at all, and a refused append does not affect others. */
export const ATOMICITY: readonly JournalCase[] = [
  journalCase('stores every part of an append', async (journal, { hash }) => {
    const append = full(hash, 'one');
    await journal.append(append);
    const { gates, effects, checkpoints, session } = append.projections;
    assert.deepEqual(await journal.list({}), [session]);
    assert.deepEqual(await journal.gates({}), gates);
    assert.deepEqual(await journal.effects('sess_1'), effects);
    assert.deepEqual(await journal.latestCheckpoint('sess_1'), checkpoints[0]);
    assert.deepEqual(await journal.checkpoint('ck_one'), { row: checkpoints[0], text: append.blobs[0]?.text });
  }),
  journalCase('stores nothing of a fenced append', async (journal, { hash }) => {
    await journal.append(full(hash, 'one'));
    const stale = full(hash, 'two', { writer: 'w_stale' });
    await refused(journal.append(stale), 'fenced');
    await assertNothingOf(journal, stale, 'two');
  }),
  journalCase('refuses an append that uses a grant twice', async (journal, { hash }) => {
    const first = full(hash, 'one');
    await journal.append(first);
    const again = { rows: { grants: [grantUse({ grant_id: 'grant_one', session_id: 'sess_1' })] } };
    const second = full(hash, 'two', { after: first.frame, ...again });
    await refused(journal.append(second), 'grant_stale');
    await assertNothingOf(journal, second, 'two');
    const elsewhere = full(hash, 'three', {
      session: 'sess_2',
      rows: { grants: [grantUse({ grant_id: 'grant_one', session_id: 'sess_2' })] },
    });
    await refused(journal.append(elsewhere), 'grant_stale');
    await assertNothingOf(journal, elsewhere, 'three');
    const doubled = Array.from({ length: 2 }, () => grantUse({ grant_id: 'grant_four', session_id: 'sess_1' }));
    const fourth = full(hash, 'four', { after: first.frame, rows: { grants: doubled } });
    await refused(journal.append(fourth), 'grant_stale');
    await assertNothingOf(journal, fourth, 'four');
    await journal.append(full(hash, 'five', { after: first.frame }));
  }),
  journalCase('refuses an append with a row that refers to a missing blob', async (journal, { hash }) => {
    const absent = toBlob('nowhere', hash).address;
    const row = { checkpoint_id: 'ck_x', session_id: 'sess_1', seq: 1, address: absent };
    const lost = full(hash, 'one', { rows: { checkpoints: [row] } });
    await refused(journal.append(lost), 'blob_missing');
    await assertNothingOf(journal, lost, 'one');
    const result = effectRow({ idempotency_key: 'key_x', session_id: 'sess_1', result: absent });
    const answer = full(hash, 'two', { rows: { effects: [result] } });
    await refused(journal.append(answer), 'blob_missing');
    await assertNothingOf(journal, answer, 'two');
  }),
  journalCase('refuses a row of another session or another tenant', async (journal, { hash }) => {
    const mine = full(hash, 'one');
    await journal.append(mine);
    const gate = sampleGateRow({ gate_id: 'gate_one', session_id: 'sess_2' });
    const theirs = full(hash, 'two', { session: 'sess_2', rows: { gates: [gate] } });
    await refused(journal.append(theirs), 'state_write_refused');
    await assertNothingOf(journal, theirs, 'two');
    const moved = full(hash, 'three', { after: mine.frame, row: { tenant_id: 'tenant_b' } });
    await refused(journal.append(moved), 'state_write_refused');
    await assertNothingOf(journal, moved, 'three');
  }),
  journalCase('stores concurrent appends when one of them is refused', async (journal, { hash }) => {
    await journal.append(full(hash, 'used'));
    const use = grantUse({ grant_id: 'grant_used', session_id: 'sess_b' });
    const group = [
      full(hash, 'a', { session: 'sess_a' }),
      full(hash, 'b', { session: 'sess_b', rows: { grants: [use] } }),
      full(hash, 'c', { session: 'sess_c' }),
      full(hash, 'd', { writer: 'w_stale' }),
      full(hash, 'e', { session: 'sess_e' }),
    ];
    const results = await Promise.allSettled(group.map((append) => journal.append(append)));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    );
    for (const session of ['sess_a', 'sess_c', 'sess_e']) {
      assert.equal((await journal.load(session)).length, 1);
      assert.equal((await journal.effects(session)).length, 1);
    }
    assert.deepEqual(await journal.load('sess_b'), []);
  }),
];
