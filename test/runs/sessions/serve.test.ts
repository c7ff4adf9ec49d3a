/** A process that serves looks after sessions by itself: what is late, what was queued, what a dead process left. */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { draft } from '../../../src/testing/contracts/journal/draft.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { nextLife } from '../executing/lives.ts';
import { onRecord } from '../executing/on-record.ts';
import {
  CAPS,
  countingIds,
  operator,
  planOf,
  REQUEST,
  type Rig,
  type RigOptions,
  rig,
  START_MS,
  silent,
} from '../rig.ts';
import { noticesOf } from './notices-of.ts';

const HOUR_MS = 3_600_000;
const LONG = { mode: 'long_running', runtime: { max_session_duration_ms: HOUR_MS, heartbeat_interval_ms: 60_000 } };
const ANSWER = { credential: operator('ops_1'), reason: 'told to' };

const THREE = planOf([
  { id: 's1', tool: 'one' },
  { id: 's2', tool: 'two', depends_on: ['s1'] },
  { id: 's3', tool: 'three', depends_on: ['s2'] },
]);
const TOOLS: NonNullable<RigOptions['tools']> = { one: {}, two: {}, three: { produces: ['done'] } };

const turns = async (count = 30): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** What is announced of a session that was held once, by whomever, and went on by whatever. */
const LIVED = ['Session started', 'Session paused', 'Session resumed', 'Session completed'];

/** Serves until nothing is left to do at that instant. */
async function served(bench: Rig, at: number): Promise<{ driven: number; failed: readonly string[] }> {
  const stop = new AbortController();
  const failed: string[] = [];
  const serving = bench.runtime.serve({
    signal: stop.signal,
    failed: (session, error) => failed.push(`${session} ${String(error)}`),
  });
  await turns();
  bench.clock.advanceTo(at);
  await turns(100);
  stop.abort();
  return { driven: (await bench.settle(serving)).driven, failed };
}

/** Runs until the tool is called, which answers when it is told to. */
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

verifies('session:ttl:hard-expiry', 'in progress it ends as expired at its limit, and says so once', async () => {
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
    await turns();
    const { status } = await bench.runtime.session('run_1');
    expect(status).toBe('in_progress');
    clock.advanceTo(START_MS + at * MINUTE_MS);
  }
  expect(await ended).toMatchObject({ status: 'expired', terminalCode: 'TIMEOUT', reason: 'session_expired' });
  expect(await expiredNotices(bench, 'run_1')).toBe(1);
  const { checkpoints, heartbeat } = await bench.runtime.session('run_1');
  expect(Date.parse(heartbeat.last_seen)).toBe(START_MS + 56 * MINUTE_MS);
  const { text } = await bench.journal.checkpoint(checkpoints.at(-1)?.checkpoint_id ?? '');
  expect(JSON.parse(text)).toMatchObject({ terminal: true, critic_verdict: null, after_step: 's4' });
});

verifies('session:ttl:hard-expiry', 'paused it does as well, by whoever serves', async () => {
  const bench = await heldAt('two', LONG);
  const pausing = bench.runtime.pause('run_1', ANSWER);
  await onRecord(bench, 'run_paused');
  bench.land();
  await pausing;
  await bench.resting;
  expect(await bench.runtime.session('run_1')).toMatchObject({ status: 'paused', pause: { cause: 'operator' } });
  const later = nextLife(bench, { tools: TOOLS, plans: [] });
  await served(later, START_MS + HOUR_MS - 1);
  expect(await later.runtime.session('run_1')).toMatchObject({ status: 'paused' });
  await served(later, START_MS + HOUR_MS + 1_000);
  expect(await later.runtime.session('run_1')).toMatchObject({ status: 'expired' });
  expect(await expiredNotices(later, 'run_1')).toBe(1);
  expect(later.dispatches).toEqual([]);
});

verifies(
  'resume:interrupt:enqueued',
  'an interruption queues one resume, and whoever drains the queue finishes',
  async () => {
    const bench = await heldAt('two', LONG);
    expect(await bench.runtime.sessions({ dueBy: START_MS })).toEqual([]);
    const interrupting = bench.runtime.interrupt('run_1', ANSWER);
    await onRecord(bench, 'run_paused');
    bench.land();
    await interrupting;
    expect(await bench.resting).toMatchObject({ status: 'paused' });
    const queued = await bench.runtime.sessions({ dueBy: START_MS });
    expect(queued.map(({ runId }) => runId)).toEqual(['run_1']);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['one', 'two']);

    // Another process drains it: the queue is in the journal.
    const later = nextLife(bench, { tools: TOOLS, plans: [] });
    expect(await served(later, START_MS + 1)).toEqual({ driven: 1, failed: [] });
    expect(await later.runtime.session('run_1')).toMatchObject({ status: 'completed' });
    expect(later.dispatches.map(({ tool }) => tool)).toEqual(['three']);
    expect(await later.runtime.sessions({ dueBy: START_MS + HOUR_MS })).toEqual([]);
    expect(await noticesOf(later, 'run_1')).toEqual(LIVED);
  },
);

test('a pause that queues nothing is left alone until an operator says otherwise', async () => {
  const bench = await heldAt('two', LONG);
  const pausing = bench.runtime.pause('run_1', ANSWER);
  await onRecord(bench, 'run_paused');
  bench.land();
  await pausing;
  await bench.resting;
  const later = nextLife(bench, { tools: TOOLS, plans: [] });
  expect(await served(later, START_MS + 60_000)).toMatchObject({ driven: 0 });
  expect(await later.runtime.session('run_1')).toMatchObject({ status: 'paused' });
});

test('what a dead process left is picked up; after two silent intervals it is paused, and an operator decides', async () => {
  const orphan = await heldAt('two', LONG);
  const prompt = nextLife(orphan, { tools: TOOLS, plans: [] });
  expect(await served(prompt, START_MS + 1_000)).toEqual({ driven: 1, failed: [] });
  expect(await prompt.runtime.session('run_1')).toMatchObject({ status: 'completed' });

  const silentOne = await heldAt('two', LONG);
  const late = nextLife(silentOne, { tools: TOOLS, plans: [] });
  late.clock.advanceTo(START_MS + 120_000);
  await served(late, START_MS + 121_000);
  expect(await late.runtime.session('run_1')).toMatchObject({ status: 'paused', pause: { cause: 'heartbeat_lost' } });
  expect((await late.runtime.outcome('run_1')).why).toEqual([
    expect.stringContaining('heard of it for two heartbeats'),
  ]);
  // Nothing of it was done again while it waits for the operator.
  expect(late.dispatches).toEqual([]);
  const done = await late.settle(late.runtime.resumeSession('run_1', operator('ops_1')));
  expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(late.dispatches.map(({ tool }) => tool)).toEqual(['two', 'three']);
  expect(await noticesOf(late, 'run_1')).toEqual(LIVED);
});

test('many are let go on at once after an outage, and each says what came of it', async () => {
  const ids = countingIds();
  const options: RigOptions = {
    tools: { ...TOOLS, two: { execute: silent } },
    plans: [THREE, THREE, THREE],
    world: { ids },
  };
  const bench = rig(options);
  for (const _ of [1, 2]) void bench.runtime.invoke({ ...REQUEST, ...LONG });
  void bench.runtime.invoke({ ...REQUEST, mode: 'standard' });
  while (bench.dispatches.filter(({ tool }) => tool === 'two').length < 3) await turns(1);
  const later = nextLife(bench, { tools: TOOLS, plans: [] });
  later.clock.advanceTo(START_MS + 120_000);
  await served(later, START_MS + 121_000);
  expect((await later.runtime.sessions({ statuses: ['paused'] })).map(({ runId }) => runId)).toHaveLength(2);

  const nobody = await later.settle(later.runtime.resumeAll({}, operator('agt_worker')));
  expect(nobody.map((one) => (one.ok ? 'ok' : one.code))).toEqual(['permission_denied', 'permission_denied']);
  const all = await later.settle(later.runtime.resumeAll({ tenant: 'tenant_a' }, operator('ops_1')));
  expect(all.map((one) => one.ok && one.outcome.terminalCode)).toEqual(['SUCCESS', 'SUCCESS']);
  expect(await later.runtime.resumeAll({}, operator('ops_1'))).toEqual([]);
  // Asked for by name, what has ended is no more resumed than before.
  expect(await later.runtime.resumeAll({ statuses: ['completed', 'paused'] }, operator('ops_1'))).toEqual([]);
});

test('what an operator has paused stays paused after an outage; what was only interrupted goes on', async () => {
  for (const [hold, left] of [
    ['pause', []],
    ['interrupt', ['SUCCESS']],
  ] as const) {
    const bench = await heldAt('two', LONG);
    const holding = bench.runtime[hold]('run_1', ANSWER);
    await onRecord(bench, 'run_paused');
    bench.land();
    await holding;
    await bench.resting;
    const all = await bench.settle(bench.runtime.resumeAll({}, operator('ops_2')));
    expect(all.map((one) => one.ok && one.outcome.terminalCode)).toEqual(left);
  }
});

/** So many sessions that nobody can drive here, each left longer ago than anything else. */
async function strangers({ journal }: Rig, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1)
    await journal.append(draft(sha256, { session: `other_${at}`, row: { agent: 'elsewhere', updated_at: at } }));
}

test('however many sessions of other agents were left before it, a session is driven, and they are left alone', async () => {
  const bench = await heldAt('two', LONG);
  await strangers(bench, 1_001);
  const later = nextLife(bench, { tools: TOOLS, plans: [] });
  expect(await served(later, START_MS + 31_000)).toEqual({ driven: 1, failed: [] });
  expect(await later.runtime.session('run_1')).toMatchObject({ status: 'completed' });
});

test('after an outage every session is tried, however many there are', async () => {
  const bench = rig({ tools: TOOLS, plans: [] });
  await strangers(bench, 1_001);
  expect(await bench.runtime.resumeAll({}, operator('ops_1'))).toHaveLength(1_001);
  expect(await bench.runtime.resumeAll({ limit: 2 }, operator('ops_1'))).toHaveLength(2);
});

test('while one process drives, another that serves leaves the session alone, until its lease has run out', async () => {
  const disk = memoryDisk();
  const shared = (): NonNullable<RigOptions['world']> => ({ journal: memoryJournal({ hash: sha256, disk }) });
  const first = await heldAt('two', LONG, { world: shared() });
  const second = rig({ tools: TOOLS, plans: [], world: { ...shared(), ids: otherIds() } });
  await expect(second.runtime.resume('run_1')).rejects.toMatchObject({ code: 'session_driven' });
  expect(await second.runtime.driver('run_1')).toMatchObject({ here: false, pid: process.pid });
  expect(await first.runtime.driver('run_1')).toEqual({ here: true });
  expect(await served(second, START_MS + 29_000)).toMatchObject({ driven: 0 });
  // The first one stands still: its clock, and so its lease, is not moved on.
  expect(await served(second, START_MS + 30_000)).toMatchObject({ driven: 1, failed: [] });
  expect(await second.runtime.session('run_1')).toMatchObject({ status: 'completed' });
  first.land();
  await expect(first.resting).rejects.toMatchObject({ code: 'fenced' });
});

function otherIds(): ReturnType<typeof countingIds> {
  const ids = countingIds();
  return { next: (prefix) => ids.next(`${prefix}_other`) };
}
