/** A run keeps the limits and gates it was started with, in other processes and in replay. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { AmbitOptions } from '../../../src/agent/options.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { SMALL_CALLS } from '../../journals/runs/recipes.ts';
import { verifies } from '../../requirements/verifies.ts';
import { decidedAbout, eventsOf } from '../endings/turns.ts';
import { judgedRig } from '../judges/bench.ts';
import { type Rig, rig, START_MS } from '../rig.ts';
import { approve, MINUTE, PLAN, POSTING } from './posting.ts';

type Limits = AmbitOptions['limits'];

/** A separate process on the same journal. */
const rigWithLimits = (journal: Journal, limits: NonNullable<Limits>): Rig =>
  rig({ ...POSTING, options: { limits }, world: { journal } });

const gateExpiries = async (bench: Rig, runId: string): Promise<readonly number[]> =>
  eventsOf(await bench.events(runId), 'gate_opened').map(({ expires_at }) => expires_at - START_MS);

test('a run that another process takes over keeps its limits, and replays under any', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const first = rigWithLimits(journal, { gateTtlMs: 10 * MINUTE });
  const { runId } = await first.invoke();
  const second = rigWithLimits(journal, { gateTtlMs: MINUTE, onEscalate: 'end' });
  expect(await approve(second, runId)).toMatchObject({ status: 'awaiting_gate', pending: [{ stepId: 's2' }] });
  expect(await gateExpiries(second, runId)).toEqual([10 * MINUTE, 10 * MINUTE]);
  expect(await approve(second, runId)).toMatchObject({ terminalCode: 'SUCCESS' });
  for (const bench of [first, second, rigWithLimits(journal, { gateTtlMs: 5, retryBaseMs: 1 })]) {
    await bench.runtime.records.replay(runId);
    expect((await bench.runtime.records.trace(runId)).run_id).toBe(runId);
  }
});

verifies('replay:input:versions', 'a run replays where graph and gate deciders have changed', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const gates = { GATE_PRESS: { quorum: 2, ttlMs: 7 * MINUTE } };
  const first = rig({ ...POSTING, world: { journal, policy: { gates } } });
  const { runId } = await first.invoke();
  const otherwise = rig({ ...POSTING, world: { journal }, options: { graph: 'supervised' } });
  const { turns } = await otherwise.runtime.records.replay(runId);
  expect(turns).toHaveLength((await otherwise.runtime.records.frames(runId)).length);
  expect(
    eventsOf(
      turns.flatMap(({ events }) => events),
      'gate_opened',
    ),
  ).toMatchObject([{ name: 'GATE_PRESS', deciders: { quorum: 2 }, expires_at: START_MS + 7 * MINUTE }]);
});

test('a run cannot continue without its judges, but can be read and replayed', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const first = judgedRig([{ says: [] }], {
    tools: { ...POSTING.tools, work: {} },
    plans: [PLAN],
    world: { journal },
  });
  const { runId } = await first.invoke();
  const second = rig({ tools: { ...POSTING.tools, work: {} }, plans: [], world: { journal } });
  expect(await second.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
  await second.runtime.records.replay(runId);
  await expect(second.runtime.resume(runId)).rejects.toMatchObject({ code: 'version_changed' });
});

test('the rules of a run are recorded at its start and included in its bundle', async () => {
  const bench = rig(POSTING);
  const { runId } = await bench.invoke();
  const [begun] = eventsOf(await bench.events(runId), 'run_initialized');
  const text = await bench.journal.blob(begun?.decided_by ?? 'sha256:');
  expect(JSON.parse(text)).toMatchObject({ limits: { gateTtlMs: 3_600_000 }, specialist: false, judges: [] });
  const elsewhere = rig({ ...POSTING, options: { limits: { gateTtlMs: 5 } } });
  await elsewhere.runtime.records.import(await bench.runtime.records.export(runId));
  await elsewhere.runtime.records.replay(runId);
  // The imported run brings its own rules.
  expect(await elsewhere.journal.blob(begun?.decided_by ?? 'sha256:')).toBe(text);
});

test('the rules of a run say that its decisions name the data they considered', async () => {
  const bench = rig({ ...POSTING, world: { policy: { calls: SMALL_CALLS } } });
  const { runId } = await bench.invoke();
  const [begun] = eventsOf(await bench.events(runId), 'run_initialized');
  const rules = JSON.parse(await bench.journal.blob(begun?.decided_by ?? 'sha256:'));
  expect(rules).toMatchObject({ policy_context: 'looked_at' });
  expect(decidedAbout(await bench.events(runId))[0]?.context_hash).toMatch(/^sha256:/);
});
