/** Checks, copies, prunes and anchors a store file with the public store tools. */

import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { keyTools, storeTools } from '../../src/compose.ts';
import { toBlob } from '../../src/model/json/blob.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import { draft, grow } from '../../src/testing/contracts/journal/draft.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { verifies } from '../requirements/verifies.ts';
import { operator, planOf, REQUEST, rig, START_MS } from '../runs/rig.ts';

const DAY_MS = 86_400_000;

/** A file with one finished run of each of two tenants. */
async function twoTenants(): Promise<{ readonly path: string; readonly a: string; readonly b: string }> {
  const path = freshFile();
  const journal = sqliteJournal({ path, hash: sha256 });
  const plan = (id: string) => planOf([{ id: 'a', tool: 'pay', params: { to: id } }], { plan_id: id });
  const bench = rig({
    tools: {
      pay: {
        produces: ['done'],
        side_effect: true,
        approval_mode: 'local_write',
        execute: () => ({ receipt: 'r'.repeat(10_000) }),
      },
    },
    plans: [plan('p_1'), plan('p_2')],
    world: { journal },
  });
  const a = await bench.invoke();
  const identity = { ...(REQUEST['identity'] as object), tenant_id: 'tenant_b' };
  const b = await bench.invoke({ tenant_id: 'tenant_b', identity });
  expect([a.terminalCode, b.terminalCode]).toEqual(['SUCCESS', 'SUCCESS']);
  await journal.close();
  return { path, a: a.runId, b: b.runId };
}

async function withJournal<T>(path: string, use: (journal: Journal) => Promise<T>): Promise<T> {
  const journal = sqliteJournal({ path, hash: sha256 });
  try {
    return await use(journal);
  } finally {
    await journal.close();
  }
}

/** Flips the lowest bit of one byte of a text at every place in the file, because free pages keep old copies. */
function flip(path: string, text: string): void {
  const bytes = readFileSync(path);
  let flipped = 0;
  for (let place = bytes.indexOf(text); place >= 0; place = bytes.indexOf(text, place + 1), flipped += 1)
    bytes.writeUInt8(bytes.readUInt8(place + 3) ^ 1, place + 3);
  expect(flipped).toBeGreaterThan(0);
  writeFileSync(path, bytes);
}

describe('check', () => {
  test('reports no problems for an intact store and does not write to it', async () => {
    const { path } = await twoTenants();
    const before = readFileSync(path);
    expect(storeTools.check(path)).toMatchObject({ file: path, sessions: 2, pruned: 0, problems: [] });
    expect(storeTools.check(path).frames).toBeGreaterThan(4);
    expect(storeTools.check(path).texts).toBeGreaterThan(4);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('finds one flipped bit and names its place: in a frame, a checkpoint and a shared text', async () => {
    const { path, a } = await twoTenants();
    for (const [text, place] of [
      ['"type":"plan_verified"', `/sessions/${a}/frames/2`],
      ['"critic_verdict":"ok"', `/sessions/${a}/frames/2`],
      ['"decision_id"', '/blobs/'],
    ] as const) {
      const copy = freshFile();
      copyFileSync(path, copy);
      flip(copy, text);
      const { problems } = storeTools.check(copy);
      expect(problems, text).not.toEqual([]);
      expect(problems.map((problem) => problem.place).join(' ')).toContain(place);
    }
  });

  test('finds an index with a missing row, although all other data is intact', async () => {
    const path = freshFile();
    await withJournal(path, (journal) => grow(journal, sha256, 2));
    const db = new DatabaseSync(path, { defensive: false });
    // The index now has to list rows that it never listed.
    db.exec(`pragma writable_schema = on;
      update sqlite_schema set sql = replace(sql, 'is not null', 'is null') where name = 'sessions_due'`);
    db.close();
    expect(storeTools.check(path).problems).toEqual([
      { place: '', message: 'row 1 missing from index sessions_due' },
      { place: '/schema/index sessions_due', message: 'index sessions_due is not defined as this format defines it' },
    ]);
  });

  test('reports a missing text at the frame that refers to it', async () => {
    const path = freshFile();
    // Too long to be stored next to its frame.
    const { address, text } = toBlob(JSON.stringify('x'.repeat(10_000)), sha256);
    const checkpoints = [{ checkpoint_id: 'ck_sess_1_1', session_id: 'sess_1', seq: 1, address }];
    await withJournal(path, (journal) =>
      journal.append(draft(sha256, { blobs: [{ address, text }], rows: { checkpoints } })),
    );
    expect(storeTools.check(path).problems).toEqual([]);
    const db = new DatabaseSync(path);
    db.prepare('delete from blobs where address = ?').run(address);
    db.close();
    expect(storeTools.check(path).problems).toEqual([
      { place: '/sessions/sess_1/frames/1', message: `refers to ${address}, which is not in the store` },
    ]);
  });

  test('does not create a missing file', () => {
    expect(() => storeTools.check(freshFile())).toThrow('there is no file');
    expect(() => storeTools.check(`${freshFile()}${'x'.repeat(5_000)}`)).toThrow('there is no file');
    const folder = dirname(freshFile());
    expect(() => storeTools.check(folder)).toThrow(`${folder} is not a file: name the file of a store`);
  });
});

test('makes a usable backup during writes, and refuses an existing file name', async () => {
  const path = freshFile();
  const to = freshFile();
  const journal = sqliteJournal({ path, hash: sha256 });
  const head = await grow(journal, sha256, 300, {
    events: JSON.stringify(Array.from({ length: 100 }, () => ({ type: 'time_passed', at: 1 }))),
  });
  const copying = storeTools.backup(path, to);
  await journal.append(draft(sha256, { after: head }));
  expect((await copying).bytes).toBeGreaterThan(300 * 100);
  await journal.close();
  expect(storeTools.check(to)).toMatchObject({ sessions: 1, problems: [] });
  const copied = await withJournal(to, (copy) => copy.load('sess_1'));
  expect(copied.slice(0, 300).at(-1)).toEqual(head);
  await expect(storeTools.backup(path, to)).rejects.toMatchObject({ code: 'input_invalid' });
  await expect(storeTools.backup(path, `${to}.d/copy.db`)).rejects.toThrow(`the folder ${to}.d does not exist`);
});

test('writes a backup under a temporary name until it is complete', async () => {
  const [path, to] = [freshFile(), freshFile()];
  // More pages than one step copies.
  const events = JSON.stringify([randomBytes(5_000_000).toString('base64')]);
  await withJournal(path, (journal) => journal.append(draft(sha256, { events })));
  let isComplete = false;
  const copying = storeTools.backup(path, to).finally(() => {
    isComplete = true;
  });
  const seen = new Set<string>();
  while (!isComplete) {
    for (const file of [to, `${to}.part`]) if (existsSync(file)) seen.add(file);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await copying;
  expect([...seen]).toEqual([`${to}.part`]);
  expect([to, `${to}.part`].map((file) => existsSync(file))).toEqual([true, false]);
});

test('a read-only journal reads while another process writes, and refuses to write', async () => {
  const path = freshFile();
  const writer = sqliteJournal({ path, hash: sha256 });
  const head = await grow(writer, sha256, 3);
  const reader = sqliteJournal({ path, hash: sha256, readOnly: true });
  expect(await reader.load('sess_1')).toHaveLength(3);
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  expect(await reader.load('sess_1')).toHaveLength(3);
  other.exec('rollback');
  other.close();
  const next = draft(sha256, { after: head });
  await expect(reader.append(next)).rejects.toMatchObject({ code: 'store_unavailable' });
  await writer.append(next);
  expect(await reader.load('sess_1')).toHaveLength(4);
  await reader.close();
  await writer.close();
});

describe('prune', () => {
  test('keeps the packet of a gate, also of an undecided one', async () => {
    const path = freshFile();
    const journal = sqliteJournal({ path, hash: sha256 });
    const gates = ['GATE_PRESS'];
    const bench = rig({
      tools: { post: { approval_mode: 'network', side_effect: true, gates, produces: ['done'] } },
      plans: [planOf([{ id: 's1', tool: 'post', requires: gates }])],
      world: { journal },
    });
    const { runId, pending } = await bench.invoke();
    const answer = { credential: operator('ops_1'), reason: 'no longer' };
    await bench.settle(bench.runtime.sessions.cancel(runId, answer));
    await journal.close();
    const pruned = storeTools.prune(path, { tenant: 'tenant_a', olderThanMs: DAY_MS, now: START_MS + 2 * DAY_MS });
    expect(pruned.sessions).toEqual([runId]);
    const later = sqliteJournal({ path, hash: sha256 });
    const shown = await later.blob(pending[0]?.packetHash as `sha256:${string}`);
    await later.close();
    expect(JSON.parse(shown)).toMatchObject({ action: 'post' });
  });

  verifies(
    'session:tenant:storage-and-ttl',
    'after two days, removes the checkpoints of a tenant that keeps one day, not those of one that keeps seven',
    async () => {
      const { path, a, b } = await twoTenants();
      const now = START_MS + 2 * DAY_MS;
      const keeps = { tenant_a: DAY_MS, tenant_b: 7 * DAY_MS };
      const pruned = Object.entries(keeps).map(([tenant, olderThanMs]) =>
        storeTools.prune(path, { tenant, olderThanMs, now }),
      );
      expect(pruned).toMatchObject([{ sessions: [a] }, { sessions: [], frames: 0, texts: 0 }]);
      await withJournal(path, async (journal) => {
        await expect(journal.checkpoint(`ck_${a}_1`)).rejects.toMatchObject({ code: 'blob_missing' });
        expect(await journal.latestCheckpoint(a)).toBeNull();
        expect((await journal.checkpoint(`ck_${b}_1`)).row).toMatchObject({ session_id: b });
        expect((await journal.load(b)).length).toBeGreaterThan(2);
        expect(await journal.list({ tenant: 'tenant_a', session: b })).toEqual([]);
      });
      const bench = rig({ plans: [], world: { journal: sqliteJournal({ path, hash: sha256 }) } });
      const identity = { ...(REQUEST['identity'] as object), expires_at: 4_000_000_000_000 } as never;
      await expect(bench.runtime.within(identity).sessions.get(b)).rejects.toMatchObject({
        code: 'permission_denied',
      });
      await bench.journal.close();
    },
  );

  test.each([-1, Number.NaN, 0.5])('rejects an invalid age (%d ms) and prunes nothing', async (olderThanMs) => {
    const { path } = await twoTenants();
    const asked = { tenant: 'tenant_a', olderThanMs, now: START_MS + DAY_MS };
    expect(() => storeTools.prune(path, asked)).toThrow('whole milliseconds');
    expect(storeTools.check(path)).toMatchObject({ pruned: 0 });
  });

  test("keeps the session's row with its head and its decision record, and the store stays intact", async () => {
    const { path, a } = await twoTenants();
    const [row, record] = await withJournal(path, async (journal) => {
      const [last] = (await journal.load(a)).slice(-1);
      const ended = (JSON.parse(last?.events ?? '[]') as { type: string; record?: `sha256:${string}` }[]).at(-1);
      return [(await journal.list({ session: a }))[0], ended?.record ?? 'sha256:none'] as const;
    });
    const texts = storeTools.check(path).texts;
    storeTools.prune(path, { tenant: 'tenant_a', olderThanMs: 0, now: START_MS + DAY_MS });
    const report = storeTools.check(path);
    expect(report).toMatchObject({ sessions: 2, pruned: 1, problems: [] });
    expect(report.texts).toBeLessThan(texts);
    await withJournal(path, async (journal) => {
      const fault = await journal.load(a).catch((error: unknown) => error);
      expect(fault).toMatchObject({ code: 'session_pruned' });
      expect(String(fault)).toContain(row?.head_hash);
      expect(await journal.list({ session: a })).toEqual([row]);
      expect(JSON.parse(await journal.blob(record))).toMatchObject({ run_id: a, terminal_code: 'SUCCESS' });
      // A new session does not overwrite the row of a pruned one.
      const next = draft(sha256, { session: 'sess_new' });
      await journal.append(next);
      expect(await journal.load('sess_new')).toEqual([next.frame]);
    });
  });

  test('keeps a session that has not ended, however old it is', async () => {
    const path = freshFile();
    await withJournal(path, (journal) => grow(journal, sha256, 2));
    expect(
      storeTools.prune(path, { tenant: 'tenant_a', olderThanMs: 0, now: Number.MAX_SAFE_INTEGER }).sessions,
    ).toEqual([]);
  });
});

describe('anchors', () => {
  const key = keyTools.newPair();

  async function anchored(): Promise<{
    readonly path: string;
    readonly anchors: ReturnType<typeof storeTools.anchor>;
  }> {
    const path = freshFile();
    await withJournal(path, async (journal) => {
      await grow(journal, sha256, 4);
      await grow(journal, sha256, 2, { session: 'sess_2' });
    });
    return { path, anchors: storeTools.anchor(path, { now: 1, key }) };
  }

  test('match an unchanged store and a store that has grown', async () => {
    const { path, anchors } = await anchored();
    expect(anchors.heads.map(({ session_id, seq }) => [session_id, seq])).toEqual([
      ['sess_1', 4],
      ['sess_2', 2],
    ]);
    expect(storeTools.anchor(path, { now: 1, session: 'sess_2' }).heads).toHaveLength(1);
    await withJournal(path, async (journal) => {
      const after = (await journal.load('sess_2')).at(-1);
      if (after !== undefined) await journal.append(draft(sha256, { after }));
    });
    expect(storeTools.verifyAnchors(path, anchors, key.publicKey)).toEqual({
      signature: 'good',
      findings: [
        { session_id: 'sess_1', verdict: 'unchanged' },
        { session_id: 'sess_2', verdict: 'grown' },
      ],
      permissions: { verdict: 'unchanged' },
      ok: true,
    });
  });

  test.each([
    [
      'truncated',
      `delete from frames where sid = 1 and seq = 4;
       update sessions set seq = 3, last_row = (select max(row) from frames where sid = 1),
         head_hash = (select hash from frames where sid = 1 and seq = 3) where sid = 1`,
    ],
    ['missing', 'delete from frames where sid = 1; delete from sessions where sid = 1'],
    ['damaged', "update frames set events = replace(events, 'time_passed', 'time_passee') where sid = 1 and seq = 2"],
  ])('detect a manipulation of the file: %s', async (verdict, sql) => {
    const { path, anchors } = await anchored();
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
    const { ok, findings } = storeTools.verifyAnchors(path, anchors, key.publicKey);
    expect(ok).toBe(false);
    expect(findings).toMatchObject([{ session_id: 'sess_1', verdict }, { verdict: 'unchanged' }]);
  });

  test('detect a rewritten history with valid hashes, which the store check accepts', async () => {
    const { anchors } = await anchored();
    const path = freshFile();
    await withJournal(path, async (journal) => {
      await grow(journal, sha256, 4, { events: '[{"type":"time_passed","at":7}]' });
      await grow(journal, sha256, 2, { session: 'sess_2' });
    });
    expect(storeTools.check(path).problems).toEqual([]);
    const { ok, findings } = storeTools.verifyAnchors(path, anchors, key.publicKey);
    expect(ok).toBe(false);
    expect(findings).toMatchObject([{ verdict: 'rewritten' }, { verdict: 'unchanged' }]);
  });

  test('detect a changed head of a pruned session', async () => {
    const { path, a } = await twoTenants();
    const anchors = storeTools.anchor(path, { now: 1, key, session: a });
    storeTools.prune(path, { tenant: 'tenant_a', olderThanMs: 0, now: START_MS + DAY_MS, key });
    expect(storeTools.verifyAnchors(path, anchors, key.publicKey)).toMatchObject({
      ok: true,
      findings: [{ verdict: 'pruned' }],
    });
    const db = new DatabaseSync(path);
    db.prepare('update sessions set head_hash = ? where session_id = ?').run(`sha256:${'0'.repeat(64)}`, a);
    db.close();
    expect(storeTools.verifyAnchors(path, anchors, key.publicKey)).toMatchObject({
      ok: false,
      findings: [{ verdict: 'rewritten' }],
    });
  });

  test('are invalid if changed, signed with another key, or unsigned', async () => {
    const { path, anchors } = await anchored();
    const moved = { ...anchors, heads: anchors.heads.map((head) => ({ ...head, seq: head.seq - 1 })) };
    expect(storeTools.verifyAnchors(path, moved, key.publicKey)).toMatchObject({ signature: 'bad', ok: false });
    const other = keyTools.newPair().publicKey;
    expect(storeTools.verifyAnchors(path, anchors, other)).toMatchObject({ signature: 'of_another_key', ok: false });
    const unsigned = { ...anchors, signature: null };
    expect(storeTools.verifyAnchors(path, unsigned, key.publicKey)).toMatchObject({ signature: 'none', ok: false });
    expect(storeTools.verifyAnchors(path, unsigned)).toMatchObject({ signature: 'none', ok: true });
  });
});
