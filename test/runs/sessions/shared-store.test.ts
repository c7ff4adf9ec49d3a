/** Processes on one store: a driver holds its session until its lease expires. */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import type { Drivers } from '../../../src/ports/journal/scheduler.ts';
import { type SimulatedClock, simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { countingIds, operator, planOf, REQUEST, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';

const HOUR_MS = 3_600_000;
const ANSWER = { credential: operator('ops_1'), reason: 'told to' };
const NEWER = { pack_pin: 'ctxpack.bench@2.0.0', snapshot_pin: 'kg_2' };
const PLAN = planOf([{ id: 's1', tool: 'slow' }]);

interface Shared {
  readonly clock: SimulatedClock;
  readonly first: Rig;
  readonly resting: Promise<unknown>;
  /** The abort signal of each call of the step, in order. */
  readonly signals: readonly AbortSignal[];
  /** Completes the step in flight. */
  land(): void;
  /** One more process on the same store and clock. */
  another(name: string, options?: ProcessOptions): Rig;
}

interface ProcessOptions {
  readonly agent?: RigOptions['agent'];
  /** The first look for drivers finds none, as if the driver had announced itself just after it. */
  readonly driversUnseenOnce?: boolean;
}

function withDriversUnseenOnce(journal: Journal): Journal {
  const { drivers } = journal;
  if (drivers === undefined) return journal;
  let looks = 0;
  const seen = async (): ReturnType<Drivers['drivers']> => (looks++ === 0 ? [] : await drivers.drivers());
  return { ...journal, drivers: { ...drivers, drivers: seen } };
}

const passTurns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** The first process is in the middle of a step that ends when the test says so. */
async function startDriver(): Promise<Shared> {
  const disk = memoryDisk();
  const clock = simulatedClock(START_MS);
  const reached = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const landing = Promise.withResolvers<{ ok: true }>();
  const slow: NonNullable<RigOptions['tools']>[string] = {
    timeout_ms: HOUR_MS / 6,
    produces: ['done'],
    execute: (_args, { signal }) => {
      signals.push(signal);
      reached.resolve();
      return landing.promise;
    },
  };
  const another: Shared['another'] = (name, { agent, driversUnseenOnce = false } = {}) => {
    const ids = countingIds();
    const next = (prefix: string): string => ids.next(prefix === 'run' ? prefix : `${prefix}_${name}`);
    const shared = memoryJournal({ hash: sha256, disk });
    const journal = driversUnseenOnce ? withDriversUnseenOnce(shared) : shared;
    const plans = name === 'first' ? [PLAN] : [];
    return rig({
      tools: { slow },
      plans,
      ...(agent === undefined ? {} : { agent }),
      world: { journal, clock, timer: clock, ids: { next } },
    });
  };
  const first = another('first');
  const resting = first.runtime.invoke(REQUEST);
  await reached.promise;
  return { clock, first, resting, signals, another, land: () => landing.resolve({ ok: true }) };
}

test('a process renews its lease during a long step, so no other takes the session', async () => {
  const { clock, resting, another, land } = await startDriver();
  const second = another('second');
  for (let seconds = 5; seconds <= 120; seconds += 5) {
    clock.advanceTo(START_MS + seconds * 1_000);
    await passTurns();
    await expect(second.runtime.resume('run_1')).rejects.toMatchObject({ code: 'session_driven' });
  }
  land();
  expect(await resting).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('commands from other processes do not change the driver', async () => {
  const { first, resting, another, land } = await startDriver();
  const second = another('second');
  for (let note = 1; note <= 12; note += 1) {
    await second.runtime.sessions.steer('run_1', { credential: ANSWER.credential, note: `mind the gap, ${note}` });
    expect(await second.runtime.sessions.driver('run_1')).toMatchObject({ here: false });
    await expect(another('third').runtime.resume('run_1')).rejects.toMatchObject({ code: 'session_driven' });
  }
  land();
  expect(await resting).toMatchObject({ terminalCode: 'SUCCESS' });
  await first.runtime.records.replay('run_1');
});

test('a process with newer pins cannot migrate or terminate a driven session', async () => {
  const { first, resting, another, land } = await startDriver();
  const second = another('second', { agent: (agent) => ({ ...agent, pins: { ...agent.pins, ...NEWER } }) });
  const before = await first.runtime.records.frames('run_1');
  await expect(second.runtime.sessions.migrate('run_1', { ...ANSWER, to: NEWER })).rejects.toMatchObject({
    code: 'session_driven',
  });
  await expect(second.runtime.sessions.terminate('run_1', ANSWER)).rejects.toMatchObject({ code: 'session_driven' });
  expect(await first.runtime.records.frames('run_1')).toEqual(before);
  land();
  expect(await resting).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('a process that lost its session aborts its calls', async () => {
  const { clock, resting, signals, another, land } = await startDriver();
  const fenced = expect(resting).rejects.toMatchObject({ code: 'fenced' });
  const taken = another('second').runtime.resume('run_1', { takeOver: ANSWER });
  await passTurns();
  clock.advanceTo(START_MS + 1_000);
  await fenced;
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  land();
  expect(await taken).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('a take-over also takes the run from a driver that appears after the first look', async () => {
  const { clock, resting, another, land } = await startDriver();
  const fenced = expect(resting).rejects.toMatchObject({ code: 'fenced' });
  const taken = another('second', { driversUnseenOnce: true }).runtime.resume('run_1', { takeOver: ANSWER });
  await passTurns();
  clock.advanceTo(START_MS + 1_000);
  await fenced;
  land();
  expect(await taken).toMatchObject({ terminalCode: 'SUCCESS' });
  const frames = await another('third').runtime.records.frames('run_1');
  expect(JSON.stringify(frames)).toContain('run_taken_over');
});
