/** One session that cannot be read is set aside and told; every other session goes on, in every loop over sessions. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { restartProcess } from '../executing/crashed-process.ts';
import { passTurns } from '../pass-turns.ts';
import { neverAnswers, operator, planOf, REQUEST, rig } from '../rig.ts';
import { DAMAGE, ROW_DAMAGE, type SharedFile, serveThree, sharedFile, threeSessions } from './damaged-store.ts';

let file: SharedFile;
beforeEach(() => {
  file = sharedFile();
});
afterEach(() => file.remove());

const WORK = planOf([{ id: 's1', tool: 'work' }]);
const PAY = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] } as const;

describe.each(Object.entries(DAMAGE))('a session with %s', (_, damage) => {
  test('does not end serve, is quarantined and told once, and the others complete', async () => {
    const later = await threeSessions(file, damage);
    const { told, failed, served } = await serveThree(later);
    expect(told).toEqual(['run_first_2']);
    expect(failed).toEqual(['run_first_2']);
    expect(served).toMatchObject({ driven: 2, failed: 1, quarantined: ['run_first_2'] });
    const listed = await later.runtime.sessions.damaged();
    expect(listed).toMatchObject([{ runId: 'run_first_2', status: 'in_progress', code: 'store_corrupt' }]);
    await later.runtime.close();
  });

  test('does not stop the other loops over sessions', async () => {
    const later = await threeSessions(file, damage);
    const resumed = await later.settle(later.runtime.sessions.resumeAll({}, operator('ops_1')));
    expect(resumed.map(({ runId, ok }) => [runId, ok]).toSorted()).toEqual([
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

test.each(Object.entries(ROW_DAMAGE))(
  'a session whose row has %s is quarantined, told and listed',
  async (_, damage) => {
    const later = await threeSessions(file, damage);
    const { told, served } = await serveThree(later);
    expect(told).toEqual(['run_first_2']);
    expect(served).toMatchObject({ driven: 2, failed: 1, quarantined: ['run_first_2'] });
    expect(await later.runtime.sessions.damaged()).toMatchObject([{ runId: 'run_first_2', code: 'store_corrupt' }]);
    await later.runtime.close();
  },
);

test('pages of a listing go on after a row whose time is no safe number', async () => {
  const later = await threeSessions(file, 'update sessions set updated_at = 9007199254740993');
  for (const order of ['newest', 'oldest'] as const) {
    const found: string[] = [];
    for (let [row] = await later.journal.list({ order, limit: 1 }); row !== undefined; ) {
      found.push(row.session_id);
      [row] = await later.journal.list({ order, limit: 1, after: row });
    }
    expect(found).toEqual(['run_first_1', 'run_first_2', 'run_first_3']);
  }
  await later.runtime.close();
});

test('a row of a driver that is no safe number stops no session', async () => {
  const later = await threeSessions(file, 'update drivers set until = 9223372036854775807');
  const outcomes = await later.settle(later.runtime.sessions.resumeAll({}, operator('ops_1')));
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true]);
  await later.runtime.close();
});

test.each(['expires_at = 9223372036854775807', 'expires_at = -9223372036854775807', 'opened_at = 9223372036854775807'])(
  'a gate whose row has %s is listed as damaged and hides no other gate',
  async (damage) => {
    const plan = planOf([{ id: 'p', tool: 'pay', requires: ['GATE_A'] }]);
    const bench = file.open('first', { tools: { pay: PAY }, plans: [plan, plan] });
    const [one, two] = [await bench.invoke(), await bench.invoke()];
    file.edit(`update gates set ${damage} where session_id = '${one.runId}'`);
    const inbox = await bench.runtime.gates.list();
    expect(inbox.damaged.map(({ gate }) => gate.session_id)).toEqual([one.runId]);
    expect(inbox.saturated).toBe(false);
    expect(inbox.groups.flatMap(({ items }) => items.map(({ gate }) => gate.session_id))).toEqual([two.runId]);
    await bench.runtime.close();
  },
);

test('a gate whose packet cannot be read hides no other gate', async () => {
  const plan = planOf([{ id: 'p', tool: 'pay', requires: ['GATE_A'] }]);
  const bench = file.open('first', { tools: { pay: PAY }, plans: [plan, plan] });
  const [one, two] = [await bench.invoke(), await bench.invoke()];
  file.edit(`update blobs set text = 'junk' where address = '${one.pending[0]?.packetHash}'`);
  file.edit(`update extras set texts = replace(texts, '"packet', '"pucket')`);
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
