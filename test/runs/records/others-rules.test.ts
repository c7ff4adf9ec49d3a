/** A process that takes on runs begun under other rules holds each to its own: its limits, its gates, who judges and plans. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { ProgressEnvelope } from '../../../src/model/progress.ts';
import type { Journal } from '../../../src/ports/journal.ts';
import type { Planner } from '../../../src/ports/planner.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { eventsOf } from '../endings/turns.ts';
import { nextLife } from '../executing/lives.ts';
import { gives, type JudgeScript, judge } from '../judges/bench.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { approve, MINUTE, PLAN, POSTING } from './posting.ts';

const waiting = (gateTtlMs: number): RigOptions => ({ ...POSTING, options: { limits: { gateTtlMs } } });

const waits = async (bench: Rig, runId: string): Promise<readonly number[]> =>
  eventsOf(await bench.events(runId), 'gate_opened').map(({ at, expires_at }) => expires_at - at);

test('runs that were begun under different limits are each held to their own by whoever takes them on', async () => {
  const first = rig(waiting(10 * MINUTE));
  const ten = await first.invoke();
  const second = nextLife(first, waiting(20 * MINUTE));
  const twenty = await second.invoke();
  const third = nextLife(second, { ...waiting(MINUTE), plans: [] });
  for (const { runId } of [ten, twenty]) {
    await approve(third, runId);
    expect(await approve(third, runId)).toMatchObject({ terminalCode: 'SUCCESS' });
  }
  expect(await waits(third, ten.runId)).toEqual([10 * MINUTE, 10 * MINUTE]);
  expect(await waits(third, twenty.runId)).toEqual([20 * MINUTE, 20 * MINUTE]);
});

test('how a session stands and how far it has come is read by its own rules, whoever looks', async () => {
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
    const other = nextLife(first, { ...looking, plans: [] });
    expect(await other.runtime.session(runId)).toEqual(await first.runtime.session(runId));
    expect(await other.runtime.outcome(runId)).toEqual(await first.runtime.outcome(runId));
    const [seen, same] = await Promise.all([first, other].map((bench) => firstOf(bench, runId)));
    expect(seen).toEqual(same);
  }
});

/** The first envelope of a session's progress, if there is one before it ends. */
async function firstOf({ runtime, settle }: Rig, runId: string): Promise<ProgressEnvelope | null> {
  const next = await settle(runtime.progress(runId)[Symbol.asyncIterator]().next());
  return next.done === true ? null : next.value;
}

test('a fork decides by the rules of the run it comes from, wherever it is made', async () => {
  const first = rig(waiting(10 * MINUTE));
  const { runId } = await first.invoke();
  await approve(first, runId);
  expect(await approve(first, runId)).toMatchObject({ terminalCode: 'SUCCESS' });
  const second = nextLife(first, { ...waiting(MINUTE), plans: [] });
  const { state_checkpoints } = await second.runtime.trace(runId);
  const at = state_checkpoints.find(({ after_step }) => after_step === 's1')?.checkpoint_id ?? '';
  const forked = await second.settle(second.runtime.fork(runId, { at }));
  expect(forked).toMatchObject({ status: 'awaiting_gate', pending: [{ stepId: 's2' }] });
  expect((await waits(second, forked.runId)).at(-1)).toBe(10 * MINUTE);
});

/** The run waits at a gate; what follows is judged. */
const judgedBy = (scripts: readonly JudgeScript[], journal: Journal, plans: RigOptions['plans'] & object): Rig =>
  rig({ ...waiting(10 * MINUTE), plans, world: { journal, judges: scripts.map(judge) } });

test('a judge that goes by the same name and asks for something else is not the one that the run is judged by', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const first = judgedBy([{ says: [] }], journal, [PLAN]);
  const { runId } = await first.invoke();
  const other = judgedBy([{ says: [], criteria: { quality: 'The work is short.' } }], journal, []);
  await expect(other.runtime.resume(runId)).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining('is judged by reader@1'),
  });
  expect(await other.runtime.outcome(runId)).toMatchObject({ status: 'awaiting_gate' });
  const same = judgedBy([{ says: [gives(0.9), gives(0.9)] }], journal, []);
  await approve(same, runId);
  expect(await approve(same, runId)).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('a run that was judged is read with its own judges, where others judge by now and where nobody does', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const first = judgedBy([{ says: [gives(0.9)] }], journal, [PLAN]);
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
    const bench = judgedBy(scripts, journal, []);
    expect(await bench.runtime.outcome(runId)).toEqual(waitsAgain);
    await bench.runtime.replay(runId);
  }
});

test('a run is not migrated to where nobody is who judges it, and nothing is written there', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const first = judgedBy([{ says: [] }], journal, [PLAN]);
  const { runId } = await first.invoke();
  const before = await first.runtime.frames(runId);
  const to = { pack_pin: 'ctxpack.bench@2.0.0', snapshot_pin: 'kg_1' };
  const elsewhere = (script: JudgeScript): Rig =>
    rig({
      ...waiting(10 * MINUTE),
      plans: [],
      agent: (agent) => ({ ...agent, pins: { ...agent.pins, ...to } }),
      world: { journal, judges: [judge(script)] },
    });
  const word = { credential: operator('ops_1', ['operator']), reason: 'looked at it', to };
  const other = elsewhere({ says: [], criteria: { quality: 'The work is short.' } });
  await expect(other.runtime.migrate(runId, word)).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining('is judged by reader@1'),
  });
  expect(await other.runtime.frames(runId)).toEqual(before);
  const same = elsewhere({ says: [] });
  expect(await same.settle(same.runtime.migrate(runId, word))).toMatchObject({ status: 'awaiting_gate' });
});

test('a run with a stronger planner in reserve does not go on where there is none', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const reserve: NonNullable<RigOptions['agent']> = (agent) => ({
    ...agent,
    boundary: { ...agent.boundary, escalation_paths: ['specialist_model', ...agent.boundary.escalation_paths] },
  });
  const planner: Planner = { ...scriptedPlanner([PLAN]), safer: scriptedPlanner([]) };
  const first = rig({
    ...POSTING,
    agent: reserve,
    options: { planner } as RigOptions['options'] & object,
    world: { journal },
  });
  const { runId } = await first.invoke();
  const without = rig({ ...POSTING, plans: [], agent: reserve, world: { journal } });
  await expect(without.runtime.resume(runId)).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining('a stronger planner in reserve'),
  });
});
