import assert from 'node:assert/strict';
import { verifyChain } from '../../../model/frame.ts';
import { type JournalCase, refused } from './case.ts';
import { draft, grow } from './draft.ts';

/** One place, one frame: who may write next, and what becomes of everybody else. */
export const ORDERING: readonly JournalCase[] = [
  {
    name: 'frames come back exactly as they were written, in order',
    run: async ({ open, hash }) => {
      const journal = await open();
      const first = draft(hash, { events: '[{"type":"goal_received","text":"ünï \\u0000 \\"😀\\" \\n","n":1.50}]' });
      const second = draft(hash, { after: first.frame, writer: 'w_2', events: '[ ]' });
      await journal.append(first);
      await journal.append(second);
      assert.deepEqual(await journal.load('sess_1'), [first.frame, second.frame]);
    },
  },
  {
    name: 'an append is accepted only at the place that follows the last frame',
    run: async ({ open, hash }) => {
      const journal = await open();
      const head = await grow(journal, hash, 3);
      const ahead = draft(hash, { after: draft(hash, { after: head }).frame });
      const fault = await refused(journal.append(ahead), 'input_invalid');
      assert.equal(fault.path, '/expectedSeq');
      await refused(journal.append(draft(hash, { session: 'sess_new', after: head })), 'input_invalid');
      assert.equal((await journal.load('sess_1')).length, 3);
      assert.deepEqual(await journal.load('sess_new'), []);
      await journal.append(draft(hash, { after: head }));
      assert.equal((await journal.load('sess_1')).length, 4);
    },
  },
  {
    name: 'a stale writer is fenced',
    run: async ({ open, hash }) => {
      const journal = await open();
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
    },
  },
  {
    name: 'a writer that wakes up again and continues a past of its own is fenced',
    run: async ({ open, hash }) => {
      const journal = await open();
      const first = draft(hash);
      await journal.append(first);
      const lost = draft(hash, { after: first.frame, writer: 'w_zombie' });
      const taken = draft(hash, { after: first.frame, writer: 'w_owner' });
      await journal.append(taken);
      await refused(journal.append(draft(hash, { after: lost.frame, writer: 'w_zombie' })), 'fenced');
      assert.deepEqual(await journal.load('sess_1'), [first.frame, taken.frame]);
    },
  },
  {
    name: 'of many appends to one place exactly one is stored',
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
  {
    name: '32 sessions growing at once all land, and each chain holds',
    run: async ({ open, hash }) => {
      const journal = await open();
      const sessions = Array.from({ length: 32 }, (_, index) => `sess_${index}`);
      const heads = await Promise.all(sessions.map((session) => grow(journal, hash, 10, { session })));
      for (const [index, session] of sessions.entries()) {
        const frames = await journal.load(session);
        assert.equal(frames.length, 10);
        assert.equal(verifyChain(frames, hash), null);
        assert.deepEqual(frames.at(-1), heads[index]);
      }
    },
  },
  {
    name: 'frames of one session may follow each other in one group',
    run: async ({ open, hash }) => {
      const journal = await open();
      const first = draft(hash);
      const second = draft(hash, { after: first.frame });
      await Promise.all([journal.append(first), journal.append(second)]);
      assert.deepEqual(await journal.load('sess_1'), [first.frame, second.frame]);
    },
  },
  {
    name: 'a session that has ended takes no more frames',
    run: async ({ open, hash }) => {
      const journal = await open();
      const head = await grow(journal, hash, 2);
      const last = draft(hash, { after: head, row: { status: 'completed', terminal_code: 'SUCCESS' } });
      await journal.append(last);
      await refused(journal.append(draft(hash, { after: last.frame })), 'session_terminal');
      await journal.append(last);
      assert.equal((await journal.load('sess_1')).length, 3);
    },
  },
];
