import assert from 'node:assert/strict';
import type { RefusedGrant, StandingGrant } from '../../../model/gate/grant.ts';
import { toBlob } from '../../../model/json/blob.ts';
import type { Hash } from '../../../model/json/hash.ts';
import type { RunLabel } from '../../../model/record/run-label.ts';
import type { Journal, SessionFilter } from '../../../ports/journal/journal.ts';
import type { EffectRow, GateRow, SessionRow } from '../../../ports/journal/rows.ts';
import { REFUSED_GRANTS_MAX, type StandingFilter } from '../../../ports/journal/standing-grants.ts';
import { effectRow, type JournalCase, journalCase, sampleGateRow } from './case.ts';
import { draft, grow } from './draft.ts';

async function fourSessions(journal: Journal, hash: Hash): Promise<void> {
  const rows = [
    { session_id: 'sess_a', tenant_id: 'tenant_a', status: 'in_progress', updated_at: 10, wake_at: 50, last_seen: 10 },
    {
      session_id: 'sess_b',
      tenant_id: 'tenant_b',
      agent: 'clerk',
      status: 'paused',
      updated_at: 30,
      wake_at: null,
      last_seen: 25,
    },
    {
      session_id: 'sess_c',
      tenant_id: 'tenant_a',
      status: 'awaiting_gate',
      updated_at: 20,
      wake_at: 60,
      last_seen: 20,
    },
    { session_id: 'sess_d', tenant_id: 'tenant_a', status: 'in_progress', updated_at: 20, wake_at: 40, last_seen: 15 },
  ] as const;
  for (const row of rows) await journal.append(draft(hash, { session: row.session_id, row }));
}

/** Filters, each with the sessions it must return, in order. */
const LISTINGS: readonly (readonly [SessionFilter, readonly string[]])[] = [
  [{}, ['sess_b', 'sess_c', 'sess_d', 'sess_a']],
  [{ order: 'oldest' }, ['sess_a', 'sess_c', 'sess_d', 'sess_b']],
  [{ limit: 2 }, ['sess_b', 'sess_c']],
  [{ tenant: 'tenant_a' }, ['sess_c', 'sess_d', 'sess_a']],
  [{ tenant: "tenant_a' or '1' = '1" }, []],
  [{ session: 'sess_b' }, ['sess_b']],
  [{ agent: 'clerk', limit: 1 }, ['sess_b']],
  [{ agent: 'support', limit: 1 }, ['sess_c']],
  [{ agent: 'nobody' }, []],
  [{ session: 'sess_b', tenant: 'tenant_a' }, []],
  [{ statuses: ['in_progress'] }, ['sess_d', 'sess_a']],
  [{ statuses: ['paused', 'awaiting_gate'] }, ['sess_b', 'sess_c']],
  [{ statuses: [] }, []],
  [{ wakeBy: 50 }, ['sess_d', 'sess_a']],
  [{ wakeBy: 39 }, []],
  [{ seenBefore: 20 }, ['sess_d', 'sess_a']],
  [{ statuses: ['in_progress'], tenant: 'tenant_a', seenBefore: 15 }, ['sess_a']],
  [{ after: { updated_at: 20, session_id: 'sess_c' } }, ['sess_d', 'sess_a']],
  [{ after: { updated_at: 20, session_id: 'sess_c' }, order: 'oldest' }, ['sess_d', 'sess_b']],
  [{ after: { updated_at: 20, session_id: 'sess_d' }, order: 'oldest', limit: 1 }, ['sess_b']],
  [{ after: { updated_at: 20, session_id: 'sess_d' }, tenant: 'tenant_a' }, ['sess_a']],
];

const GRANTS = [
  ['grant_3', 'tenant_a', 'pay'],
  ['grant_1', 'tenant_b', 'pay'],
  ['grant_2', 'tenant_a', 'post'],
] as const;

const grantOf = (grant_id: string, tenant_id: string, tool: string): StandingGrant => ({
  kind: 'standing',
  grant_id,
  tenant_id,
  tool,
  arguments: {},
  uses_max: 1,
  microusd_max: 0,
  reason: 'every day',
  approver: 'lead',
  granted_at: 1,
  expires_at: 2,
  proof: { credential: 'local_operator', tenant_id, roles: ['operator'] },
});

/** Queries, and the order of their results. */
export const READING: readonly JournalCase[] = [
  journalCase('lists labels in order, for every connection, by run and by tenant', async (journal, { open }) => {
    const label = (label_id: string, run_id: string, tenant_id: string): RunLabel => {
      const proof = { credential: 'local_operator', tenant_id, roles: [] } as const;
      return { label_id, run_id, tenant_id, fields: { success: true }, by: 'ana', reason: 'seen', at: 1_000, proof };
    };
    const labels = [
      label('l_1', 'sess_a', 'tenant_a'),
      label('l_2', 'sess_b', 'tenant_b'),
      label('l_3', 'sess_a', 'tenant_a'),
    ];
    for (const each of labels) await journal.addLabel(each);
    const elsewhere = await open();
    assert.deepEqual(await elsewhere.labels(), labels);
    assert.deepEqual(await elsewhere.labels({ run: 'sess_a' }), [labels[0], labels[2]]);
    assert.deepEqual(await elsewhere.labels({ tenant: 'tenant_b' }), [labels[1]]);
  }),
  journalCase('returns the first frame alone', async (journal, { hash }) => {
    await grow(journal, hash, 3, { session: 'sess_a' });
    await grow(journal, hash, 2, { session: 'sess_b', events: JSON.stringify(['long. '.repeat(2_000)]) });
    for (const session of ['sess_a', 'sess_b'])
      assert.deepEqual(await journal.first(session), (await journal.load(session))[0]);
    assert.equal(await journal.first('sess_none'), null);
  }),
  journalCase('loads frames from any sequence number on', async (journal, { hash }) => {
    await grow(journal, hash, 5);
    const all = await journal.load('sess_1');
    for (const from of [1, 2, 5]) assert.deepEqual(await journal.load('sess_1', from), all.slice(from - 1));
    assert.deepEqual(await journal.load('sess_1', 6), []);
    assert.deepEqual(await journal.load('sess_1', 60), []);
    assert.deepEqual(await journal.load('sess_none'), []);
    assert.deepEqual(await journal.load('constructor'), []);
  }),
  journalCase('lists sessions by tenant, status, deadline and last heartbeat', async (journal, { hash }) => {
    await fourSessions(journal, hash);
    for (const [filter, expected] of LISTINGS) {
      const ids = (await journal.list(filter)).map(({ session_id }) => session_id);
      assert.deepEqual(ids, expected, JSON.stringify(filter));
    }
  }),
  journalCase('updates the session row with every append', async (journal, { hash }) => {
    const changes: readonly Partial<SessionRow>[] = [
      {},
      { node: 'execute' },
      { wake_at: 7 },
      { wake_at: 8 },
      { wake_at: null },
      { intent: 'other' },
      { status: 'paused' },
      { agent: 'other' },
      { last_seen: 5 },
      { status: 'completed' },
      { terminal_code: 'SUCCESS' },
    ];
    let row: Partial<SessionRow> = {};
    let append = draft(hash);
    await journal.append(append);
    for (const change of changes) {
      row = { ...row, ...change };
      append = draft(hash, { after: append.frame, row });
      await journal.append(append);
      assert.deepEqual(await journal.list({}), [append.projections.session]);
    }
  }),
  journalCase('keeps refused grants per tenant, in order and up to a limit', async (journal) => {
    const refused = (tenant_id: string, at: number): RefusedGrant => ({
      tenant_id,
      grant_id: `grant_${at}`,
      act: 'give',
      claimed_by: 'intern',
      code: 'permission_denied',
      message: 'not theirs',
      at,
    });
    assert.deepEqual(await journal.refusedGrants(), []);
    await journal.noteRefusedGrant(refused('tenant_b', 2));
    await journal.noteRefusedGrant(refused('tenant_a', 1));
    assert.deepEqual(await journal.refusedGrants(), [refused('tenant_b', 2), refused('tenant_a', 1)]);
    assert.deepEqual(await journal.refusedGrants({ tenant: 'tenant_a' }), [refused('tenant_a', 1)]);
    for (let at = 2; at <= REFUSED_GRANTS_MAX + 5; at += 1) await journal.noteRefusedGrant(refused('tenant_a', at));
    assert.equal((await journal.refusedGrants({ tenant: 'tenant_a' })).length, REFUSED_GRANTS_MAX);
  }),
  journalCase('lists standing grants by tenant and tool, in the order they were given', async (journal) => {
    for (const [id, tenant, tool] of GRANTS) await journal.giveGrant(grantOf(id, tenant, tool));
    const listed = async (filter?: StandingFilter): Promise<readonly string[]> =>
      (await journal.standingGrants(filter)).map(({ grant }) => grant.grant_id);
    assert.deepEqual(await listed(), ['grant_3', 'grant_1', 'grant_2']);
    assert.deepEqual(await listed({ tenant: 'tenant_a' }), ['grant_3', 'grant_2']);
    assert.deepEqual(await listed({ tool: 'pay' }), ['grant_3', 'grant_1']);
    assert.deepEqual(await listed({ tenant: 'tenant_a', tool: 'pay' }), ['grant_3']);
    assert.deepEqual(await listed({ tenant: 'pay', tool: 'tenant_a' }), []);
  }),
  journalCase('lists gates by id, tenant, session and status, oldest first', async (journal, { hash }) => {
    const gate = (gate_id: string, opened_at: number, session_id: string, tenant_id: string): GateRow =>
      sampleGateRow({ gate_id, opened_at, session_id, tenant_id });
    const two = gate('gate_2', 20, 'sess_1', 'tenant_a');
    const first = draft(hash, { rows: { gates: [two, gate('gate_1', 20, 'sess_1', 'tenant_a')] } });
    await journal.append(first);
    const other = gate('gate_3', 10, 'sess_2', 'tenant_b');
    await journal.append(draft(hash, { session: 'sess_2', row: { tenant_id: 'tenant_b' }, rows: { gates: [other] } }));
    const ids = async (filter: Parameters<Journal['gates']>[0]): Promise<readonly string[]> =>
      (await journal.gates(filter)).map(({ gate_id }) => gate_id);
    assert.deepEqual(await ids({}), ['gate_3', 'gate_1', 'gate_2']);
    assert.deepEqual(await ids({ limit: 1 }), ['gate_3']);
    assert.deepEqual(await ids({ tenant: 'tenant_a' }), ['gate_1', 'gate_2']);
    assert.deepEqual(await ids({ session: 'sess_2' }), ['gate_3']);
    assert.deepEqual(await ids({ gate: 'gate_1' }), ['gate_1']);
    assert.deepEqual(await ids({ gate: 'gate_9' }), []);
    assert.deepEqual(await ids({ packet: two.packet_hash, tenant: 'tenant_a' }), ['gate_1', 'gate_2']);
    assert.deepEqual(await ids({ packet: 'sha256:none' }), []);
    assert.deepEqual(await ids({ name: two.name, session: 'sess_1' }), ['gate_1', 'gate_2']);
    assert.deepEqual(await ids({ name: 'GATE_OF_NOBODY' }), []);
    assert.deepEqual(await ids({ action: two.action, session: 'sess_1' }), ['gate_1', 'gate_2']);
    assert.deepEqual(await ids({ action: 'payments.look' }), []);
    await journal.append(draft(hash, { after: first.frame, rows: { gates: [{ ...two, status: 'approved' }] } }));
    assert.deepEqual(await ids({ statuses: ['open'] }), ['gate_3', 'gate_1']);
    assert.deepEqual(await ids({ statuses: ['approved'] }), ['gate_2']);
  }),
  journalCase('keeps effects in the order of their intents when they are settled', async (journal, { hash }) => {
    const intents = ['key_b', 'key_a'].map((idempotency_key) => effectRow({ idempotency_key, session_id: 'sess_1' }));
    const first = draft(hash, { rows: { effects: intents } });
    await journal.append(first);
    assert.deepEqual(await journal.effects('sess_1'), intents);
    const answer = toBlob('{"refund_id":"r1"}', hash);
    const settled = effectRow({
      idempotency_key: 'key_b',
      session_id: 'sess_1',
      state: 'settled',
      result: answer.address,
    });
    await journal.append(draft(hash, { after: first.frame, blobs: [answer], rows: { effects: [settled] } }));
    assert.deepEqual(await journal.effects('sess_1'), [settled, intents[1]]);
    assert.deepEqual(await journal.effects('sess_2'), []);
  }),
  journalCase('separates the effects of sessions that use the same key', async (journal, { open, hash }) => {
    const row = (session_id: string, key: string): EffectRow => effectRow({ idempotency_key: key, session_id });
    const answer = toBlob('{"refund_id":"r1"}', hash);
    const settled = { ...row('sess_1', 'key_both'), state: 'settled', result: answer.address } as const;
    const one = draft(hash, { rows: { effects: [row('sess_1', 'key_both'), row('sess_1', 'key_one')] } });
    await journal.append(one);
    await journal.append(draft(hash, { after: one.frame, blobs: [answer], rows: { effects: [settled] } }));
    const two = draft(hash, { session: 'sess_2', rows: { effects: [row('sess_2', 'key_both')] } });
    await journal.append(two);
    for (const reader of [journal, await open()]) {
      assert.deepEqual(await reader.effect('sess_2', 'key_both'), row('sess_2', 'key_both'));
      assert.deepEqual(await reader.effect('sess_1', 'key_both'), settled);
      assert.deepEqual(await reader.effect('sess_1', 'key_one'), row('sess_1', 'key_one'));
      assert.equal(await reader.effect('sess_2', 'key_one'), null);
      assert.equal(await reader.effect('sess_3', 'key_both'), null);
      assert.deepEqual(await reader.effects('sess_2'), [row('sess_2', 'key_both')]);
    }
    const failed = toBlob('{"refund_id":null}', hash);
    const theirs = { ...row('sess_2', 'key_both'), state: 'settled', result: failed.address } as const;
    await journal.append(draft(hash, { after: two.frame, blobs: [failed], rows: { effects: [theirs] } }));
    assert.deepEqual(await journal.effect('sess_1', 'key_both'), settled);
    assert.deepEqual(await journal.effect('sess_2', 'key_both'), theirs);
  }),
  journalCase('stores the same key for two sessions at the same moment', async (journal, { hash }) => {
    const rows = ['sess_1', 'sess_2'].map((session_id) => effectRow({ idempotency_key: 'key_both', session_id }));
    const appends = rows.map((row) => draft(hash, { session: row.session_id, rows: { effects: [row] } }));
    await Promise.all(appends.map((append) => journal.append(append)));
    for (const row of rows.toReversed()) assert.deepEqual(await journal.effect(row.session_id, 'key_both'), row);
  }),
];
