/** A serving process handles sessions by itself: expired, queued and orphaned ones. */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { draft } from '../../../src/testing/contracts/journal/draft.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { waitForEvent } from '../executing/wait-for-event.ts';
import { passTurns } from '../pass-turns.ts';
import {
  CAPS,
  countingIds,
  neverAnswers,
  operator,
  planOf,
  REQUEST,
  type Rig,
  type RigOptions,
  rig,
  START_MS,
} from '../rig.ts';
import { noticesOf } from './notices-of.ts';

const HOUR_MS = 3_600_000;
const LONG = {
  mode: 'long_running',
  runtime: { max_session_duration_ms: HOUR_MS, heartbeat_interval_ms: 60_000 },
} as const;
const ANSWER = { credential: operator('ops_1'), reason: 'told to' };

const THREE = planOf([
  { id: 's1', tool: 'one' },
  { id: 's2', tool: 'two', depends_on: ['s1'] },
  { id: 's3', tool: 'three', depends_on: ['s2'] },
]);
const TOOLS: NonNullable<RigOptions['tools']> = { one: {}, two: {}, three: { produces: ['done'] } };

/** The notices of a session that was paused once and resumed. */
const LIVED = ['Session started', 'Session paused', 'Session resumed', 'Session completed'];

/** Serves until nothing is left to do at that time. */
async function serveUntil(bench: Rig, at: number): Promise<{ driven: number; failed: readonly string[] }> {
  const stop = new AbortController();
  const failed: string[] = [];
  const serving = bench.runtime.serve({
    signal: stop.signal,
    failed: (session, error) => failed.push(`${session} ${String(error)}`),
  });
  await passTurns();
  bench.clock.advanceTo(at);
  await passTurns(100);
  stop.abort();
  return { driven: (await bench.settle(serving)).driven, failed };
}

/** Runs until the tool is called; the tool answers on `land()`. */
async function heldAt(
  tool: string,
  request: JsonObject,
  options: RigOptions = {},
): Promise<Rig & { land(): void; resting: Promise<unknown> }> {
  const reached = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ ok: true }>();
  const bench = rig({
    plans: [THREE],
    ...options,
    tools: {
      ...TOOLS,
      ...options.tools,
      [tool]: {
        ...TOOLS[tool],
        execute: () => {
          reached.resolve();
          return answer.promise;
        },
      },
    },
  });
  const resting = bench.runtime.invoke({ ...REQUEST, ...request });
  await reached.promise;
  return { ...bench, resting, land: () => answer.resolve({ ok: true }) };
}

const expiredNotices = async (bench: Rig, runId: string): Promise<number> =>
  (await noticesOf(bench, runId)).filter((notice) => notice === 'Session expired').length;

verifies('session:ttl:hard-expiry', 'a session in progress expires at its limit, with one notice', async () => {
  const MINUTE_MS = 60_000;
  const clock = simulatedClock(START_MS);
  const work = planOf([1, 2, 3, 4, 5].map((n) => ({ id: `s${n}`, tool: 'work', params: { n } })));
  const bench = rig({
    tools: {
      work: {
        timeout_ms: 15 * MINUTE_MS,
        retries_max: 0,
        produces: ['done'],
        execute: async (_, { signal }) => {
          await clock.until(clock.nowMs() + 14 * MINUTE_MS, signal);
          return { ok: true };
        },
      },
    },
    plans: [work],
    caps: { ...CAPS, wall_clock_seconds_max: 2 * 3_600 },
    world: { clock, timer: clock },
  });
  const runtime = { max_session_duration_ms: HOUR_MS, heartbeat_interval_ms: 20 * MINUTE_MS };
  const ended = bench.runtime.invoke({ ...REQUEST, mode: 'long_running', runtime });
  for (let at = 1; at <= 60; at += 1) {
    await passTurns();
    const { status } = await bench.runtime.sessions.contract('run_1');
    expect(status).toBe('in_progress');
    clock.advanceTo(START_MS + at * MINUTE_MS);
  }
  expect(await ended).toMatchObject({ status: 'expired', terminalCode: 'TIMEOUT', reason: 'session_expired' });
  expect(await expiredNotices(bench, 'run_1')).toBe(1);
  const { checkpoints, heartbeat } = await bench.runtime.sessions.contract('run_1');
  expect(Date.parse(heartbeat.last_seen)).toBe(START_MS + 56 * MINUTE_MS);
  const { text } = await bench.journal.checkpoint(checkpoints.at(-1)?.checkpoint_id ?? '');
  expect(JSON.parse(text)).toMatchObject({ terminal: true, critic_verdict: null, after_step: 's4' });
});

verifies('session:ttl:hard-expiry', 'a paused session expires through a serving process', async () => {
  const bench = await heldAt('two', LONG);
  const pausing = bench.runtime.sessions.pause('run_1', ANSWER);
  await waitForEvent(bench, 'run_paused');
  bench.land();
  await pausing;
  await bench.resting;
  expect(await bench.runtime.sessions.contract('run_1')).toMatchObject({
    status: 'paused',
    pause: { cause: 'operator' },
  });
  const later = restartProcess(bench, { tools: TOOLS, plans: [] });
  await serveUntil(later, START_MS + HOUR_MS - 1);
  expect(await later.runtime.sessions.contract('run_1')).toMatchObject({ status: 'paused' });
  await serveUntil(later, START_MS + HOUR_MS + 1_000);
  expect(await later.runtime.sessions.contract('run_1')).toMatchObject({ status: 'expired' });
  expect(await expiredNotices(later, 'run_1')).toBe(1);
  expect(later.dispatches).toEqual([]);
});

verifies(
  'resume:interrupt:enqueued',
  'an interruption queues one resume, and a serving process finishes the session',
  async () => {
    const bench = await heldAt('two', LONG);
    expect(await bench.runtime.sessions.list({ dueBy: START_MS })).toEqual([]);
    const interrupting = bench.runtime.sessions.interrupt('run_1', ANSWER);
    await waitForEvent(bench, 'run_paused');
    bench.land();
    await interrupting;
    expect(await bench.resting).toMatchObject({ status: 'paused' });
    const queued = await bench.runtime.sessions.list({ dueBy: START_MS });
    expect(queued.map(({ runId }) => runId)).toEqual(['run_1']);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['one', 'two']);

    // Another process drains the queue, because the queue is in the journal.
    const later = restartProcess(bench, { tools: TOOLS, plans: [] });
    expect(await serveUntil(later, START_MS + 1)).toEqual({ driven: 1, failed: [] });
    expect(await later.runtime.sessions.contract('run_1')).toMatchObject({ status: 'completed' });
    expect(later.dispatches.map(({ tool }) => tool)).toEqual(['three']);
    expect(await later.runtime.sessions.list({ dueBy: START_MS + HOUR_MS })).toEqual([]);
    expect(await noticesOf(later, 'run_1')).toEqual(LIVED);
  },
);

test('a plain pause stays until an operator resumes it', async () => {
  const bench = await heldAt('two', LONG);
  const pausing = bench.runtime.sessions.pause('run_1', ANSWER);
  await waitForEvent(bench, 'run_paused');
  bench.land();
  await pausing;
  await bench.resting;
  const later = restartProcess(bench, { tools: TOOLS, plans: [] });
  expect(await serveUntil(later, START_MS + 60_000)).toMatchObject({ driven: 0 });
  expect(await later.runtime.sessions.contract('run_1')).toMatchObject({ status: 'paused' });
});

test('picks up an orphaned session, and pauses it after two silent heartbeat intervals', async () => {
  const orphan = await heldAt('two', LONG);
  const prompt = restartProcess(orphan, { tools: TOOLS, plans: [] });
  expect(await serveUntil(prompt, START_MS + 1_000)).toEqual({ driven: 1, failed: [] });
  expect(await prompt.runtime.sessions.contract('run_1')).toMatchObject({ status: 'completed' });

  const silentOne = await heldAt('two', LONG);
  const late = restartProcess(silentOne, { tools: TOOLS, plans: [] });
  late.clock.advanceTo(START_MS + 120_000);
  await serveUntil(late, START_MS + 121_000);
  expect(await late.runtime.sessions.contract('run_1')).toMatchObject({
    status: 'paused',
    pause: { cause: 'heartbeat_lost' },
  });
  expect((await late.runtime.sessions.get('run_1')).why).toEqual([expect.stringContaining('missed two heartbeats')]);
  // Nothing is repeated while the session waits for the operator.
  expect(late.dispatches).toEqual([]);
  const done = await late.settle(late.runtime.sessions.resume('run_1', operator('ops_1')));
  expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(late.dispatches.map(({ tool }) => tool)).toEqual(['two', 'three']);
  expect(await noticesOf(late, 'run_1')).toEqual(LIVED);
});

test('resumes many sessions at once after an outage, with a result each', async () => {
  const ids = countingIds();
  const options: RigOptions = {
    tools: { ...TOOLS, two: { execute: neverAnswers } },
    plans: [THREE, THREE, THREE],
    world: { ids },
  };
  const bench = rig(options);
  for (const _ of [1, 2]) void bench.runtime.invoke({ ...REQUEST, ...LONG });
  void bench.runtime.invoke({ ...REQUEST, mode: 'standard' });
  while (bench.dispatches.filter(({ tool }) => tool === 'two').length < 3) await passTurns(1);
  const later = restartProcess(bench, { tools: TOOLS, plans: [] });
  later.clock.advanceTo(START_MS + 120_000);
  await serveUntil(later, START_MS + 121_000);
  expect((await later.runtime.sessions.list({ statuses: ['paused'] })).map(({ runId }) => runId)).toHaveLength(2);

  const denied = await later.settle(later.runtime.sessions.resumeAll({}, operator('agt_worker')));
  expect(denied.map((one) => (one.ok ? 'ok' : one.code))).toEqual(['permission_denied', 'permission_denied']);
  const all = await later.settle(later.runtime.sessions.resumeAll({ tenant: 'tenant_a' }, operator('ops_1')));
  expect(all.map((one) => one.ok && one.outcome.terminalCode)).toEqual(['SUCCESS', 'SUCCESS']);
  expect(await later.runtime.sessions.resumeAll({}, operator('ops_1'))).toEqual([]);
  // Completed sessions are not resumed, even if the query names their status.
  expect(await later.runtime.sessions.resumeAll({ statuses: ['completed', 'paused'] }, operator('ops_1'))).toEqual([]);
});

test('after an outage, paused sessions stay paused and interrupted ones continue', async () => {
  for (const [hold, left] of [
    ['pause', []],
    ['interrupt', ['SUCCESS']],
  ] as const) {
    const bench = await heldAt('two', LONG);
    const holding = bench.runtime.sessions[hold]('run_1', ANSWER);
    await waitForEvent(bench, 'run_paused');
    bench.land();
    await holding;
    await bench.resting;
    const all = await bench.settle(bench.runtime.sessions.resumeAll({}, operator('ops_2')));
    expect(all.map((one) => one.ok && one.outcome.terminalCode)).toEqual(left);
  }
});

/** This many sessions of another agent, all older than the others. */
async function addForeignSessions({ journal }: Rig, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1)
    await journal.append(draft(sha256, { session: `other_${at}`, row: { agent: 'elsewhere', updated_at: at } }));
}

test('drives its session regardless of how many older sessions of other agents there are', async () => {
  const bench = await heldAt('two', LONG);
  await addForeignSessions(bench, 1_001);
  const later = restartProcess(bench, { tools: TOOLS, plans: [] });
  expect(await serveUntil(later, START_MS + 31_000)).toEqual({ driven: 1, failed: [] });
  expect(await later.runtime.sessions.contract('run_1')).toMatchObject({ status: 'completed' });
});

test('tries every session after an outage, however many there are', async () => {
  const bench = rig({ tools: TOOLS, plans: [] });
  await addForeignSessions(bench, 1_001);
  expect(await bench.runtime.sessions.resumeAll({}, operator('ops_1'))).toHaveLength(1_001);
  expect(await bench.runtime.sessions.resumeAll({ limit: 2 }, operator('ops_1'))).toHaveLength(2);
});

test('does not take a session that another process drives until the lease expires', async () => {
  const disk = memoryDisk();
  const shared = (): NonNullable<RigOptions['world']> => ({ journal: memoryJournal({ hash: sha256, disk }) });
  const first = await heldAt('two', LONG, { world: shared() });
  const second = rig({ tools: TOOLS, plans: [], world: { ...shared(), ids: otherIds() } });
  await expect(second.runtime.resume('run_1')).rejects.toMatchObject({ code: 'session_driven' });
  expect(await second.runtime.sessions.driver('run_1')).toMatchObject({ here: false, pid: process.pid });
  expect(await first.runtime.sessions.driver('run_1')).toEqual({ here: true });
  expect(await serveUntil(second, START_MS + 29_000)).toMatchObject({ driven: 0 });
  // The clock of the first process does not advance, so it does not renew its lease.
  expect(await serveUntil(second, START_MS + 30_000)).toMatchObject({ driven: 1, failed: [] });
  expect(await second.runtime.sessions.contract('run_1')).toMatchObject({ status: 'completed' });
  first.land();
  await expect(first.resting).rejects.toMatchObject({ code: 'fenced' });
});

function otherIds(): ReturnType<typeof countingIds> {
  const ids = countingIds();
  return { next: (prefix) => ids.next(`${prefix}_other`) };
}
