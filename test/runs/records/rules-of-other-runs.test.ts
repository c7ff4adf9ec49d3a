/**
 * A process that takes over runs started under other rules applies each run's own limits, gates, judges and planners.
 */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { ProgressEnvelope } from '../../../src/model/run/session.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { eventsOf } from '../endings/turns.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { type JudgeScript, judge, judgeAnswer } from '../judges/bench.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { approve, MINUTE, PLAN, POSTING } from './posting.ts';

const withGateTtl = (gateTtlMs: number): RigOptions => ({ ...POSTING, options: { limits: { gateTtlMs } } });

const gateWaits = async (bench: Rig, runId: string): Promise<readonly number[]> =>
  eventsOf(await bench.events(runId), 'gate_opened').map(({ at, expires_at }) => expires_at - at);

test("applies each run's own limits", async () => {
  const first = rig(withGateTtl(10 * MINUTE));
  const ten = await first.invoke();
  const second = restartProcess(first, withGateTtl(20 * MINUTE));
  const twenty = await second.invoke();
  const third = restartProcess(second, { ...withGateTtl(MINUTE), plans: [] });
  for (const { runId } of [ten, twenty]) {
    await approve(third, runId);
    expect(await approve(third, runId)).toMatchObject({ terminalCode: 'SUCCESS' });
  }
  expect(await gateWaits(third, ten.runId)).toEqual([10 * MINUTE, 10 * MINUTE]);
  expect(await gateWaits(third, twenty.runId)).toEqual([20 * MINUTE, 20 * MINUTE]);
});

test('reads status and progress of a session by its own rules', async () => {
  const failing: RigOptions = {
    tools: { work: { retries_max: 0, produces: ['done'], execute: () => Promise.reject(new Error('no')) } },
    plans: [planOf([{ id: 's1', tool: 'work' }])],
  };
  const [handed, ended]: readonly RigOptions[] = [
    { ...failing, options: { limits: { onEscalate: 'pause' } } },
    { ...failing, options: { limits: { onEscalate: 'end' } } },
  ];
  const runtime = { max_session_duration_ms: 3_600_000, heartbeat_interval_ms: 60_000, progress_interval_ms: 10_000 };
  for (const [begun, looking] of [
    [handed, ended],
    [ended, handed],
  ] as const) {
    const first = rig(begun ?? {});
    const { runId, status } = await first.invoke({ mode: 'long_running', runtime });
    expect(status).toBe(begun === handed ? 'paused' : 'failed');
    const other = restartProcess(first, { ...looking, plans: [] });
    expect(await other.runtime.sessions.contract(runId)).toEqual(await first.runtime.sessions.contract(runId));
    expect(await other.runtime.sessions.get(runId)).toEqual(await first.runtime.sessions.get(runId));
    const [seen, same] = await Promise.all([first, other].map((bench) => firstProgress(bench, runId)));
    expect(seen).toEqual(same);
  }
});

/** The first progress envelope of a session, or null if it ends before one. */
async function firstProgress({ runtime, settle }: Rig, runId: string): Promise<ProgressEnvelope | null> {
  const next = await settle(runtime.sessions.progress(runId)[Symbol.asyncIterator]().next());
  return next.done === true ? null : next.value;
}

test('a fork keeps the rules of its source run', async () => {
  const first = rig(withGateTtl(10 * MINUTE));
  const { runId } = await first.invoke();
  await approve(first, runId);
  expect(await approve(first, runId)).toMatchObject({ terminalCode: 'SUCCESS' });
  const second = restartProcess(first, { ...withGateTtl(MINUTE), plans: [] });
  const { state_checkpoints } = await second.runtime.records.trace(runId);
  const at = state_checkpoints.find(({ after_step }) => after_step === 's1')?.checkpoint_id ?? '';
  const forked = await second.settle(second.runtime.records.fork(runId, { at }));
  expect(forked).toMatchObject({ status: 'awaiting_gate', pending: [{ stepId: 's2' }] });
  expect((await gateWaits(second, forked.runId)).at(-1)).toBe(10 * MINUTE);
});

/** The run waits at a gate; later steps are judged. */
const rigJudgedBy = (scripts: readonly JudgeScript[], journal: Journal, plans: RigOptions['plans'] & object): Rig =>
  rig({ ...withGateTtl(10 * MINUTE), plans, world: { journal, judges: scripts.map(judge) } });

test('rejects a judge with the same name and other criteria', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const first = rigJudgedBy([{ says: [] }], journal, [PLAN]);
  const { runId } = await first.invoke();
  const other = rigJudgedBy([{ says: [], criteria: { quality: 'The work is short.' } }], journal, []);
  await expect(other.runtime.resume(runId)).rejects.toMatchObject({
    code: 'version_changed',
    message: expect.stringContaining('the judge reader@1, which this process has with other criteria'),
  });
  expect(await other.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
  const same = rigJudgedBy([{ says: [judgeAnswer(0.9), judgeAnswer(0.9)] }], journal, []);
  await approve(same, runId);
  expect(await approve(same, runId)).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('reads a judged run with its own judges, whichever judges are configured now', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const first = rigJudgedBy([{ says: [judgeAnswer(0.9)] }], journal, [PLAN]);
  const { runId } = await first.invoke();
  const waitsAgain = await approve(first, runId);
  expect(waitsAgain).toMatchObject({ status: 'awaiting_gate', pending: [{ stepId: 's2' }] });
  const [step] = eventsOf(await first.events(runId), 'judges_answered');
  expect(step?.answers).toMatchObject([{ judge: 'reader@1' }]);
  const others: readonly JudgeScript[] = [
    { says: [], criteria: { taste: 'It is tasteful.' } },
    { name: 'second', says: [] },
  ];
  for (const scripts of [others, []]) {
    const bench = rigJudgedBy(scripts, journal, []);
    expect(await bench.runtime.sessions.get(runId)).toEqual(waitsAgain);
    await bench.runtime.records.replay(runId);
  }
});

test('does not migrate a run to a process without its judges, and writes nothing', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const first = rigJudgedBy([{ says: [] }], journal, [PLAN]);
  const { runId } = await first.invoke();
  const before = await first.runtime.records.frames(runId);
  const to = { pack_pin: 'ctxpack.bench@2.0.0', snapshot_pin: 'kg_1' };
  const elsewhere = (script: JudgeScript): Rig =>
    rig({
      ...withGateTtl(10 * MINUTE),
      plans: [],
      agent: (agent) => ({ ...agent, pins: { ...agent.pins, ...to } }),
      world: { journal, judges: [judge(script)] },
    });
  const word = { credential: operator('ops_1', ['operator']), reason: 'looked at it', to };
  const other = elsewhere({ says: [], criteria: { quality: 'The work is short.' } });
  await expect(other.runtime.sessions.migrate(runId, word)).rejects.toMatchObject({
    code: 'version_changed',
    message: expect.stringContaining('the judge reader@1, which this process has with other criteria'),
  });
  expect(await other.runtime.records.frames(runId)).toEqual(before);
  const same = elsewhere({ says: [] });
  expect(await same.settle(same.runtime.sessions.migrate(runId, word))).toMatchObject({ status: 'awaiting_gate' });
});
