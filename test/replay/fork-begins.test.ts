/** The start of a fork: its checkpoint, what it takes from its parent, and its state while its past is being copied. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { Detector } from '../../src/critic/step/safety.ts';
import { verdictDue } from '../../src/kernel/handlers/fork.ts';
import type { RunState } from '../../src/kernel/state/run-state.ts';
import type { EventBody, RunEvent } from '../../src/model/events/event.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import { fold, kernelOf, offer } from '../runs/graphs/kernel.ts';
import { benchAgent, benchLane, laneRig } from '../runs/lanes/bench.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, rig } from '../runs/rig.ts';
import { PAYING, paid } from './paid.ts';

const HOUR_MS = 3_600_000;
const SESSION = {
  mode: 'long_running',
  runtime: { max_session_duration_ms: 4 * HOUR_MS, heartbeat_interval_ms: 60_000 },
};

/** The checkpoint of the verdict on a step. */
async function checkpoint({ runtime }: Rig, runId: string, step: string): Promise<string> {
  const { state_checkpoints } = await runtime.records.trace(runId);
  return state_checkpoints.find(({ after_step }) => after_step === step)?.checkpoint_id ?? 'none';
}

/** The state of a run right after the first event of this type. */
function after(options: RigOptions, events: readonly RunEvent[], type: RunEvent['type']): RunState {
  const place = events.findIndex((event) => event.type === type);
  const state = fold(kernelOf(options), events.slice(0, place + 1)).at(-1);
  if (place < 0 || state === undefined) throw new Error(`no ${type}`);
  return state;
}

test('a fork begins with its own run id', async () => {
  const { bench, runId } = await paid();
  const forked = await bench.settle(bench.runtime.records.fork(runId, { at: await checkpoint(bench, runId, 'b') }));
  const { id, manifest } = after(PAYING, await bench.events(forked.runId), 'run_forked');
  expect([id.runId, manifest?.run_id]).toEqual([forked.runId, forked.runId]);
});

test('a fork inherits no approvals, used or unused', async () => {
  // In a supervised graph no call ever uses up the approval of the plan.
  const supervised: RigOptions = { ...PAYING, options: { graph: 'supervised' } };
  const { bench, runId } = await paid(supervised);
  const [gate] = (await bench.runtime.sessions.get(runId)).pending;
  const yes = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'fine' };
  await bench.settle(bench.runtime.approve(gate?.gateId ?? '', yes));
  const { grants } = after(supervised, await bench.events(runId), 'run_terminated').people;
  expect(grants.map(({ kind, usedBy }) => [kind, usedBy !== null])).toEqual([
    ['plan', false],
    ['action', true],
  ]);
  const forked = await bench.settle(bench.runtime.records.fork(runId, { at: await checkpoint(bench, runId, 'b') }));
  expect(after(supervised, await bench.events(forked.runId), 'run_forked').people.grants).toEqual([]);
});

test('the time between a session and its fork does not count for the fork', async () => {
  const bench = rig(PAYING);
  const { runId } = await bench.invoke(SESSION);
  const parent = await bench.runtime.sessions.contract(runId);
  const later = 30 * 24 * HOUR_MS;
  bench.clock.advanceTo(bench.clock.nowMs() + later);
  const at = parent.checkpoints.find(({ after_step }) => after_step === 'a')?.checkpoint_id ?? 'none';
  const forked = await bench.settle(bench.runtime.records.fork(runId, { at }));
  const { started_at, heartbeat } = await bench.runtime.sessions.contract(forked.runId);
  expect(Date.parse(started_at) - Date.parse(parent.started_at)).toBe(later);
  expect(heartbeat.ttl_ms).toBe(parent.heartbeat.ttl_ms);
  // The state at its first event, before the next verdict renews the heartbeat.
  const { session, now } = after(PAYING, await bench.events(forked.runId), 'run_forked');
  expect(session.lastSeen).toBe(now);
});

test('a run that expired while it waited cannot be forked at its end', async () => {
  const suspicious: Detector = {
    name: 'exfiltration',
    version: '1',
    detect: ({ args }) => ('secret' in args ? { severity: 'low', detail: 'a secret leaves the house' } : null),
  };
  const bench = rig({
    tools: { send: {}, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'send', params: { secret: 'x' } },
        { id: 'b', tool: 'finish' },
      ]),
    ],
    world: { policy: { detectors: [suspicious] } },
  });
  const { runId, status } = await bench.invoke();
  expect(status).toBe('paused');
  bench.clock.advanceTo(bench.clock.nowMs() + 365 * 24 * HOUR_MS);
  expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'expired' });
  const checkpoints = (await bench.runtime.records.trace(runId)).state_checkpoints.map(
    ({ checkpoint_id }) => checkpoint_id,
  );
  expect(checkpoints).toEqual(['ck_run_1_1', 'ck_run_1_2', 'ck_run_1_3']);
  await expect(bench.runtime.records.fork(runId, { at: 'ck_run_1_3' })).rejects.toMatchObject({
    code: 'input_invalid',
    message: expect.stringMatching(/in this run: ck_run_1_1, ck_run_1_2$/),
  });
});

test('a run that ends or rolls back has no pending verdict to fork at', async () => {
  const acts = { approval_mode: 'local_write', side_effect: true, idempotency: { kind: 'none' } } as const;
  const undone = { probes: { compensate: 'unbook' }, probing: { compensate: { args: () => ({}) } } };
  const shop: RigOptions = {
    tools: { look: {}, book: { ...acts, ...undone }, unbook: acts, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'book', depends_on: ['a'] },
      ]),
      planOf([{ id: 'c', tool: 'finish' }], { plan_id: 'plan_2' }),
    ],
  };
  const env = kernelOf(shop);
  const bench = rig(shop);
  const events = await bench.events((await bench.invoke()).runId);
  const states = fold(env, events);
  const cancelled: EventBody = { type: 'run_cancelled', by: 'ben', reason: 'not wanted any more' };
  const places = [
    ['closing', events.findIndex(({ type }) => type === 'step_judged')],
    ['rollback', events.findLastIndex(({ type }) => type === 'plan_verified')],
  ] as const;
  for (const [field, place] of places) {
    const due = states[place] as RunState;
    expect(verdictDue(env, due)).not.toBeNull();
    const [ending] = offer(env, due, cancelled);
    expect(ending.ending[field]).toBeTruthy();
    expect(verdictDue(env, ending)).toBeNull();
  }
});

test('a fork waits for nothing and has no timer while its past is being copied', async () => {
  const kept = memoryJournal({ hash: sha256 });
  const dying: Journal = {
    ...kept,
    append: async (append) => {
      if (append.frame.events.includes('"type":"run_forked"')) throw new Error('the process is gone');
      await kept.append(append);
    },
  };
  const { bench, runId } = await paid({ ...PAYING, world: { journal: dying } });
  const at = await checkpoint(bench, runId, 'b');
  await expect(bench.settle(bench.runtime.records.fork(runId, { at }))).rejects.toThrow('the process is gone');
  expect(await kept.list({ session: 'run_2' })).toMatchObject([{ status: 'paused', wake_at: null }]);
  expect(await kept.list({ wakeBy: Number.MAX_SAFE_INTEGER })).toEqual([]);
});

test('an agent with lanes can only be forked for real, because its lanes would act', async () => {
  const worker = benchAgent({
    name: 'reader',
    tools: { look: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'look' }])],
  });
  const boss = benchAgent({
    name: 'boss',
    tools: { finish: { produces: ['done'] } },
    lanes: [benchLane('delegate', worker)],
    caps: { ...CAPS, lanes_max: 2 },
    plans: [planOf([{ id: 's1', tool: 'finish' }])],
  });
  const { runtime, invoke, settle } = laneRig([boss]);
  const { runId } = await invoke();
  const [{ checkpoint_id: at } = { checkpoint_id: '' }] = (await runtime.records.trace(runId)).state_checkpoints;
  await expect(runtime.records.fork(runId, { at })).rejects.toMatchObject({
    code: 'input_invalid',
    message: expect.stringContaining('cannot be simulated'),
  });
  const credential = operator('ben', ['operator']);
  expect(await settle(runtime.records.fork(runId, { at, simulate: false, credential }))).toMatchObject({
    terminalCode: 'SUCCESS',
  });
});
