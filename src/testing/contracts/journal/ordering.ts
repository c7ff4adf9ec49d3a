import assert from 'node:assert/strict';
import { verifyChain } from '../../../model/events/frame.ts';
import { type JournalCase, journalCase, refused } from './case.ts';
import { draft, grow } from './draft.ts';

/** One frame per sequence number: which append is accepted, and how the others are refused. */
export const ORDERING: readonly JournalCase[] = [
  journalCase('returns frames exactly as written, in order', async (journal, { hash }) => {
    const first = draft(hash, { events: '[{"type":"goal_received","text":"ünï \\u0000 \\"😀\\" \\n","n":1.50}]' });
    const second = draft(hash, { after: first.frame, writer: 'w_2', events: '[ ]' });
    await journal.append(first);
    await journal.append(second);
    assert.deepEqual(await journal.load('sess_1'), [first.frame, second.frame]);
  }),
  journalCase('accepts an append only directly after the last frame', async (journal, { hash }) => {
    const head = await grow(journal, hash, 3);
    const ahead = draft(hash, { after: draft(hash, { after: head }).frame });
    const fault = await refused(journal.append(ahead), 'input_invalid');
    assert.equal(fault.path, '/expectedSeq');
    await refused(journal.append(draft(hash, { session: 'sess_new', after: head })), 'input_invalid');
    assert.equal((await journal.load('sess_1')).length, 3);
    assert.deepEqual(await journal.load('sess_new'), []);
    await journal.append(draft(hash, { after: head }));
    assert.equal((await journal.load('sess_1')).length, 4);
  }),
  journalCase('fences a stale writer', async (journal, { hash }) => {
    const first = draft(hash);
    await journal.append(first);
    const winner = draft(hash, { after: first.frame, writer: 'w_winner' });
    await journal.append(winner);
    const fault = await refused(journal.append(draft(hash, { after: first.frame, writer: 'w_stale' })), 'fenced');
    assert.match(fault.message, /w_winner/);
    await refused(journal.append(draft(hash, { writer: 'w_stale' })), 'fenced');
    const changed = draft(hash, { after: first.frame, writer: 'w_winner', events: '["a second thought"]' });
    await refused(journal.append(changed), 'fenced');
    assert.deepEqual(await journal.load('sess_1'), [first.frame, winner.frame]);
  }),
  journalCase(
    'fences a writer that continues from a frame of its own that was never stored',
    async (journal, { hash }) => {
      const first = draft(hash);
      await journal.append(first);
      const lost = draft(hash, { after: first.frame, writer: 'w_zombie' });
      const taken = draft(hash, { after: first.frame, writer: 'w_owner' });
      await journal.append(taken);
      await refused(journal.append(draft(hash, { after: lost.frame, writer: 'w_zombie' })), 'fenced');
      assert.deepEqual(await journal.load('sess_1'), [first.frame, taken.frame]);
    },
  ),
  {
    name: 'stores exactly one of many appends with the same sequence number',
    run: async ({ open, hash }) => {
      const [left, right] = [await open(), await open()];
      const appends = Array.from({ length: 16 }, (_, index) => draft(hash, { writer: `w_${index}` }));
      const results = await Promise.allSettled(appends.map((one, index) => (index % 2 ? left : right).append(one)));
      const won = appends.filter((_, index) => results[index]?.status === 'fulfilled');
      assert.equal(won.length, 1);
      for (const result of results)
        if (result.status === 'rejected') await refused(Promise.reject(result.reason), 'fenced');
      assert.deepEqual(await left.load('sess_1'), [won[0]?.frame]);
      assert.deepEqual(await right.load('sess_1'), [won[0]?.frame]);
    },
  },
  journalCase('stores 32 sessions that grow at once, each with a valid chain', async (journal, { hash }) => {
    const sessions = Array.from({ length: 32 }, (_, index) => `sess_${index}`);
    const heads = await Promise.all(sessions.map((session) => grow(journal, hash, 10, { session })));
    for (const [index, session] of sessions.entries()) {
      const frames = await journal.load(session);
      assert.equal(frames.length, 10);
      assert.equal(verifyChain(frames, hash), null);
      assert.deepEqual(frames.at(-1), heads[index]);
    }
  }),
  journalCase('stores consecutive frames of one session in one group', async (journal, { hash }) => {
    const first = draft(hash);
    const second = draft(hash, { after: first.frame });
    await Promise.all([journal.append(first), journal.append(second)]);
    assert.deepEqual(await journal.load('sess_1'), [first.frame, second.frame]);
  }),
  journalCase('refuses frames after the end of a session', async (journal, { hash }) => {
    const head = await grow(journal, hash, 2);
    const last = draft(hash, { after: head, row: { status: 'completed', terminal_code: 'SUCCESS' } });
    await journal.append(last);
    await refused(journal.append(draft(hash, { after: last.frame })), 'session_terminal');
    await journal.append(last);
    assert.equal((await journal.load('sess_1')).length, 3);
  }),
];
