import assert from 'node:assert/strict';
import type { Append } from '../../../ports/journal/journal.ts';
import type { SessionRow } from '../../../ports/journal/rows.ts';
import { type JournalCase, journalCase, refused } from './case.ts';
import { draft } from './draft.ts';

const IN_THREAD = { thread: 'th_1', thread_user: 'ada' } as const;
const ENDED = { terminal_code: 'SUCCESS', status: 'completed' } as const;

/** The first frame of a session in a thread. */
const message = (hash: Parameters<typeof draft>[0], session: string, row: Partial<SessionRow> = {}): Append =>
  draft(hash, { session, row: { ...IN_THREAD, ...row } });

/** A thread is a list of sessions: of one tenant, one user and one agent, and one after the other. */
export const THREADS: readonly JournalCase[] = [
  journalCase('lists the sessions of a thread in the order in which they began', async (journal, { hash, open }) => {
    // Ids and times do not give the order.
    for (const session of ['sess_c', 'sess_a', 'sess_b']) {
      const first = message(hash, session);
      await journal.append(first);
      await journal.append(draft(hash, { after: first.frame, row: { ...IN_THREAD, ...ENDED, updated_at: 5_000 } }));
    }
    await journal.append(message(hash, 'sess_d', { tenant_id: 'tenant_b', thread_user: 'bob' }));
    await journal.append(draft(hash, { session: 'sess_e' }));
    const elsewhere = await open();
    const rows = await elsewhere.threadSessions('tenant_a', 'th_1');
    assert.deepEqual(
      rows.map(({ session_id, thread, thread_user, terminal_code }) => [
        session_id,
        thread,
        thread_user,
        terminal_code,
      ]),
      ['sess_c', 'sess_a', 'sess_b'].map((session) => [session, 'th_1', 'ada', 'SUCCESS']),
    );
    assert.deepEqual(await elsewhere.threadSessions('tenant_a', 'th_2'), []);
    assert.deepEqual(await elsewhere.threadSessions('tenant_c', 'th_1'), []);
    const [row] = await elsewhere.list({ session: 'sess_e' });
    assert.deepEqual([row?.thread, row?.thread_user], [null, null]);
  }),
  journalCase('lists threads with their tenant, user and agent', async (journal, { hash }) => {
    await journal.append(message(hash, 'sess_1', { updated_at: 2_000 }));
    const other = { tenant_id: 'tenant_b', thread_user: 'bob', agent: 'other', updated_at: 3_000 };
    await journal.append(message(hash, 'sess_2', other));
    const rows = await journal.threads({});
    assert.deepEqual(rows, [
      {
        thread: 'th_1',
        tenant_id: 'tenant_b',
        thread_user: 'bob',
        agent: 'other',
        sessions: 1,
        started_at: 1_000,
        updated_at: 3_000,
      },
      {
        thread: 'th_1',
        tenant_id: 'tenant_a',
        thread_user: 'ada',
        agent: 'support',
        sessions: 1,
        started_at: 1_000,
        updated_at: 2_000,
      },
    ]);
    for (const filter of [
      { tenant: 'tenant_a' },
      { user: 'ada' },
      { agent: 'support' },
      { thread: 'th_1', user: 'ada' },
    ])
      assert.deepEqual(await journal.threads(filter), rows.slice(1));
    assert.deepEqual(await journal.threads({ limit: 1 }), rows.slice(0, 1));
    assert.deepEqual(await journal.threads({ thread: 'th_2' }), []);
  }),
  journalCase('begins no session in a thread whose last session is open', async (journal, { hash, open }) => {
    const first = message(hash, 'sess_1');
    await journal.append(first);
    const elsewhere = await open();
    const fault = await refused(elsewhere.append(message(hash, 'sess_2')), 'thread_busy');
    assert.match(fault.message, /sess_1 in thread th_1 has not ended/);
    assert.deepEqual(await journal.load('sess_2'), []);
    await journal.append(draft(hash, { after: first.frame, row: { ...IN_THREAD, ...ENDED } }));
    await elsewhere.append(message(hash, 'sess_2'));
    assert.equal((await journal.threadSessions('tenant_a', 'th_1')).length, 2);
  }),
  journalCase('lets one of several messages begin that arrive at once', async (journal, { hash }) => {
    const sent = ['sess_1', 'sess_2', 'sess_3'].map((session) => journal.append(message(hash, session)));
    const settled = await Promise.allSettled(sent);
    assert.deepEqual(settled.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected']);
    assert.equal((await journal.threadSessions('tenant_a', 'th_1')).length, 1);
  }),
  ...[{ thread_user: 'eve' }, { agent: 'other' }].map(
    (row): JournalCase =>
      journalCase(`begins no session in a thread of another ${Object.keys(row)[0]}`, async (journal, { hash }) => {
        const first = message(hash, 'sess_1');
        await journal.append(first);
        await refused(journal.append(message(hash, 'sess_2', row)), 'thread_denied');
        await journal.append(draft(hash, { after: first.frame, row: { ...IN_THREAD, ...ENDED } }));
        await refused(journal.append(message(hash, 'sess_2', row)), 'thread_denied');
        await journal.append(message(hash, 'sess_2', { ...row, tenant_id: 'tenant_b' }));
      }),
  ),
];
