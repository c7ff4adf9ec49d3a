/** A page of any listing reads as many rows from a store of 1,500 sessions as from one of 150, by an index. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { gateListing, type Listing, sessionListing } from '../../src/adapters/sqlite/listings.ts';
import { TABLES } from '../../src/adapters/sqlite/schema.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { SESSION_STATUSES } from '../../src/model/run/session-status.ts';
import type { GateFilter, Journal, SessionFilter } from '../../src/ports/journal/journal.ts';
import { sampleGateRow } from '../../src/testing/contracts/journal/case.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';
import { countReads, scansIn } from './count-reads.ts';

const [FEW, MANY] = [150, 1_500];
const PAGE = 5;

const folder = mkdtempSync(join(tmpdir(), 'ambit-listings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Filled {
  readonly path: string;
  readonly journal: Journal;
}

/** Sessions of every status, two modes, three tenants and three agents, each in a thread and with a gate. */
async function filledStore(sessions: number): Promise<Filled> {
  const path = join(folder, `${sessions}.db`);
  const journal = sqliteJournal({ path, hash: sha256 });
  const settled = SESSION_STATUSES.filter((status) => status !== 'in_progress');
  await Promise.all(
    Array.from({ length: sessions }, (_, place) => {
      const session = `run_${place}`;
      const tenant_id = `tenant_${place % 3}`;
      const status = place < 3 ? 'in_progress' : (settled[place % settled.length] ?? 'completed');
      const row = {
        tenant_id,
        agent: `agent_${place % 3}`,
        status,
        mode: place === 10 ? 'long_running' : 'standard',
        updated_at: 1_000 + place,
        wake_at: place < 3 ? place : null,
        thread: `thread_${place}`,
        thread_user: `user_${place % 30}`,
      } as const;
      const gate = sampleGateRow({
        gate_id: `gate_${place}`,
        session_id: session,
        tenant_id,
        opened_at: 1_000 + place,
      });
      const closed = place % 2 === 0 ? ({ status: 'approved' } as const) : {};
      return journal.append(
        draft(sha256, { session, row, rows: { gates: [{ ...gate, ...closed, packet_hash: session }] } }),
      );
    }),
  );
  for (let grant = 0; grant < sessions / 10; grant += 1)
    await journal.throwSwitch({
      switch_id: `switch_${grant}`,
      scope: { tool: 'pay' },
      thrown: { by: 'ana', at: 1, reason: 'a test' },
      lifted: null,
    });
  return { path, journal };
}

const SESSIONS: readonly SessionFilter[] = [
  {},
  { order: 'oldest' },
  { session: 'run_5' },
  { tenant: 'tenant_1' },
  { agent: 'agent_1', order: 'oldest' },
  { mode: 'long_running' },
  { mode: 'long_running', tenant: 'tenant_1' },
  { statuses: ['failed'] },
  { statuses: ['failed', 'in_progress'], tenant: 'tenant_2' },
  { statuses: ['completed'], after: { updated_at: 1_030, session_id: 'run_30' } },
  { wakeBy: 5 },
  { statuses: ['in_progress'], seenBefore: 1_000_000 },
];

const GATES: readonly GateFilter[] = [
  {},
  { statuses: ['open'] },
  { tenant: 'tenant_1', statuses: ['open'], order: 'newest' },
  { gate: 'gate_7' },
  { session: 'run_7' },
  { packet: 'run_7' },
  {
    tenant: 'tenant_1',
    name: 'GATE_FINANCE_APPROVAL',
    action: 'payments.issue_refund',
    statuses: ['approved'],
    order: 'newest',
  },
];

const OTHERS: Readonly<Record<string, (journal: Journal) => Promise<unknown>>> = {
  threads: (journal) => journal.threads({ limit: PAGE }),
  'threads of a tenant': (journal) => journal.threads({ tenant: 'tenant_1', limit: PAGE }),
  'threads of a user': (journal) => journal.threads({ tenant: 'tenant_1', user: 'user_1', limit: 2 }),
  'a thread': (journal) => journal.threads({ thread: 'thread_9' }),
  'sessions of a thread': (journal) => journal.threadSessions('tenant_0', 'thread_9'),
  'standing grants': (journal) => journal.standingGrants(),
  'kill switches': (journal) => journal.killSwitches(),
  'refused grants': (journal) => journal.refusedGrants(),
};

const ALL: Readonly<Record<string, (journal: Journal) => Promise<unknown>>> = {
  ...Object.fromEntries(
    SESSIONS.map((filter) => [
      `sessions ${JSON.stringify(filter)}`,
      (journal: Journal) => journal.list({ ...filter, limit: PAGE }),
    ]),
  ),
  ...Object.fromEntries(
    GATES.map((filter) => [
      `gates ${JSON.stringify(filter)}`,
      (journal: Journal) => journal.gates({ ...filter, limit: PAGE }),
    ]),
  ),
  ...OTHERS,
};

describe('a page', () => {
  let few: Filled;
  let many: Filled;

  beforeAll(async () => {
    few = await filledStore(FEW);
    many = await filledStore(MANY);
    // The records of permissions are read once, when a connection first needs them.
    for (const { journal } of [few, many]) await journal.killSwitches();
    return async () => {
      for (const { journal } of [few, many]) await journal.close();
    };
  });

  test.each(Object.entries(ALL))('%s', async (_, list) => {
    const small = await countReads(() => list(few.journal));
    const large = await countReads(() => list(many.journal));
    expect(small.rows).toBeGreaterThan(0);
    expect({ rows: large.rows, runs: large.runs }).toEqual({ rows: small.rows, runs: small.runs });
    expect(scansIn(many.path, large).filter(({ sql }) => !sql.includes(' indexed by threads_by_'))).toEqual([]);
  });
});

/** Indexes whose rows are few, so that sorting them costs little. */
const FEW_ROWS = ['sessions_in_progress', 'sessions_due', 'gates_by_session', 'gates_by_packet'];

/** The indexes whose rows SQLite reads completely to sort them. */
function sortedIn({ sql }: Listing): readonly string[] {
  const db = new DatabaseSync(':memory:');
  db.exec(TABLES);
  const plan = db.prepare(`explain query plan ${sql}`).all();
  db.close();
  return plan.flatMap(({ detail }, place) => {
    const [, index] = /^SEARCH \w+ USING INDEX (\w+)/.exec(String(plan[place - 1]?.['detail'])) ?? [];
    return detail === 'USE TEMP B-TREE FOR ORDER BY' && index !== undefined ? [index] : [];
  });
}

test.each([
  ...SESSIONS.map((filter) => [JSON.stringify(filter), sessionListing(filter)] as const),
  ...GATES.map((filter) => [JSON.stringify(filter), gateListing(filter)] as const),
])('reads its rows in the order of an index: %s', (_, listing) => {
  expect(sortedIn(listing).filter((index) => !FEW_ROWS.includes(index))).toEqual([]);
});
