/** One session that cannot be read is set aside and told; every other session goes on, in every loop over sessions. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { passTurns } from '../pass-turns.ts';
import { countingIds, neverAnswers, operator, planOf, REQUEST, type Rig, type RigOptions, rig } from '../rig.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ambit-damaged-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const WORK = planOf([{ id: 's1', tool: 'work' }]);
const PAY = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] } as const;

const open = (name: string, options: RigOptions): Rig => {
  const ids = countingIds();
  const journal = sqliteJournal({ path: join(folder, 'run.db'), hash: sha256 });
  const world = { journal, ids: { next: (prefix: string) => ids.next(`${prefix}_${name}`) } };
  return rig({ ...options, world });
};

const edit = (sql: string): void => {
  const db = new DatabaseSync(join(folder, 'run.db'));
  db.exec(sql);
  db.close();
};

/** The ways in which an attacker who can write the store makes `run_first_2` unreadable. */
const DAMAGE: Readonly<Record<string, string>> = {
  'frames with another content': `update frames set events = '[]' where sid = (select sid from sessions where session_id = 'run_first_2')`,
  'a frame that is no JSON': `update frames set events = 'junk' where sid = (select sid from sessions where session_id = 'run_first_2')`,
  'a frame that cannot be unpacked': `update frames set events = x'00ff00' where sid = (select sid from sessions where session_id = 'run_first_2')`,
  'a frame that is gone': `delete from frames where row = (select last_row from sessions where session_id = 'run_first_2')`,
  'no frames at all': `delete from frames where sid = (select sid from sessions where session_id = 'run_first_2')`,
  'another head': `update sessions set head_hash = 'sha256:00' where session_id = 'run_first_2'`,
  'another length': `update sessions set seq = 99 where session_id = 'run_first_2'`,
};

/** Three sessions of a process that died inside a call; the second one is damaged. */
async function threeSessions(damage: string): Promise<Rig> {
  const first = open('first', {
    tools: { work: { produces: ['done'], execute: neverAnswers } },
    plans: [WORK, WORK, WORK],
  });
  for (const count of [1, 2, 3]) {
    void first.runtime.invoke({ ...REQUEST });
    while (first.dispatches.length < count) await passTurns(1);
  }
  edit(damage);
  const later = open('later', { tools: { work: { produces: ['done'] } }, plans: [] });
  later.clock.advanceTo(first.clock.nowMs() + 31_000);
  return later;
}

describe.each(Object.entries(DAMAGE))('a session with %s', (_, damage) => {
  test('does not end serve, is quarantined and told once, and the others complete', async () => {
    const later = await threeSessions(damage);
    const stop = new AbortController();
    const told: string[] = [];
    const failed: string[] = [];
    const serving = later.runtime.serve({
      signal: stop.signal,
      failed: (session) => failed.push(session),
      quarantined: (session) => told.push(session),
    });
    const done = async (): Promise<boolean> =>
      (await later.journal.list({ statuses: ['completed'] })).length === 2 && told.length > 0;
    while (!(await done())) await passTurns(5);
    later.clock.advanceTo(later.clock.nowMs() + 10_000);
    await passTurns(50);
    stop.abort();
    const served = await later.settle(serving);
    expect(told).toEqual(['run_first_2']);
    expect(failed).toEqual(['run_first_2']);
    expect(served).toMatchObject({ driven: 2, failed: 1, quarantined: ['run_first_2'] });
    const listed = await later.runtime.sessions.damaged();
    expect(listed).toMatchObject([{ runId: 'run_first_2', status: 'in_progress', code: 'store_corrupt' }]);
    await later.runtime.close();
  });

  test('does not stop the other loops over sessions', async () => {
    const later = await threeSessions(damage);
    const resumed = await later.settle(later.runtime.sessions.resumeAll({}, operator('ops_1')));
    expect(resumed.map(({ runId, ok }) => [runId, ok])).toEqual([
      ['run_first_1', true],
      ['run_first_2', false],
      ['run_first_3', true],
    ]);
    expect(await later.runtime.sessions.list()).toHaveLength(3);
    const standard = await later.runtime.sessions.list({ mode: 'standard' });
    expect(standard.map(({ runId }) => runId)).toEqual(expect.arrayContaining(['run_first_1', 'run_first_3']));
    const report = await later.runtime.records.verify();
    expect(report.runs).toBe(3);
    expect(new Set(report.damaged.map(({ run_id }) => run_id))).toEqual(new Set(['run_first_2']));
    await later.runtime.close();
  });
});

test('a gate whose packet cannot be read hides no other gate', async () => {
  const plan = planOf([{ id: 'p', tool: 'pay', requires: ['GATE_A'] }]);
  const bench = open('first', { tools: { pay: PAY }, plans: [plan, plan] });
  const [one, two] = [await bench.invoke(), await bench.invoke()];
  edit(`update blobs set text = 'junk' where address = '${one.pending[0]?.packetHash}'`);
  edit(`update extras set texts = replace(texts, '"packet', '"pucket')`);
  const inbox = await bench.runtime.gates.list();
  expect(inbox.damaged.map(({ gate }) => gate.session_id)).toEqual([one.runId]);
  expect(inbox.groups.flatMap(({ items }) => items.map(({ gate }) => gate.session_id))).toEqual([two.runId]);
  await bench.runtime.close();
});

test('serve ends within its time after the stop, and names what is still being driven', async () => {
  const bench = rig({ tools: { work: { timeout_ms: 3_600_000, execute: neverAnswers } }, plans: [WORK] });
  void bench.runtime.invoke({ ...REQUEST });
  while (bench.dispatches.length < 1) await passTurns(1);
  const tools = { work: { timeout_ms: 3_600_000, execute: neverAnswers } };
  const later = restartProcess(bench, { tools, plans: [] });
  const stop = new AbortController();
  const serving = later.runtime.serve({ signal: stop.signal, stopWithinMs: 5_000 });
  while (later.dispatches.length < 1) await passTurns(1);
  const stoppedAt = later.clock.nowMs();
  stop.abort();
  await expect(later.settle(serving)).rejects.toMatchObject({
    code: 'serve_unfinished',
    message: expect.stringMatching(/5000 ms after the stop, run_1 were still being driven/),
  });
  expect(later.clock.nowMs() - stoppedAt).toBeLessThanOrEqual(5_000);
});
