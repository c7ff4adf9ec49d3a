/** Processes that share a store: who drives is believed for as long as it says so, and by nobody else's word. */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
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
  /** What each call of the step is told to stop by, in the order in which they were made. */
  readonly told: readonly AbortSignal[];
  /** Lets the step that is under way come to its end. */
  land(): void;
  /** One more process on the same store and under the same clock. */
  another(name: string, agent?: RigOptions['agent']): Rig;
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** The first process is in the middle of a step that takes as long as the test likes. */
async function driven(): Promise<Shared> {
  const disk = memoryDisk();
  const clock = simulatedClock(START_MS);
  const reached = Promise.withResolvers<void>();
  const told: AbortSignal[] = [];
  const landing = Promise.withResolvers<{ ok: true }>();
  const slow: NonNullable<RigOptions['tools']>[string] = {
    timeout_ms: HOUR_MS / 6,
    produces: ['done'],
    execute: (_args, { signal }) => {
      told.push(signal);
      reached.resolve();
      return landing.promise;
    },
  };
  const another: Shared['another'] = (name, agent) => {
    const ids = countingIds();
    const next = (prefix: string): string => ids.next(prefix === 'run' ? prefix : `${prefix}_${name}`);
    const journal = memoryJournal({ hash: sha256, disk });
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
  return { clock, first, resting, told, another, land: () => landing.resolve({ ok: true }) };
}

test('a process that drives one long step says so again and again, and nobody takes the session from it', async () => {
  const { clock, resting, another, land } = await driven();
  const second = another('second');
  for (let seconds = 5; seconds <= 120; seconds += 5) {
    clock.advanceTo(START_MS + seconds * 1_000);
    await turns();
    await expect(second.runtime.resume('run_1')).rejects.toMatchObject({ code: 'session_driven' });
  }
  land();
  expect(await resting).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('however much is said to a session in passing, it is driven by whoever drives it', async () => {
  const { first, resting, another, land } = await driven();
  const second = another('second');
  for (let note = 1; note <= 12; note += 1) {
    await second.runtime.steer('run_1', { credential: ANSWER.credential, note: `mind the gap, ${note}` });
    expect(await second.runtime.driver('run_1')).toMatchObject({ here: false });
    await expect(another('third').runtime.resume('run_1')).rejects.toMatchObject({ code: 'session_driven' });
  }
  land();
  expect(await resting).toMatchObject({ terminalCode: 'SUCCESS' });
  await first.runtime.replay('run_1');
});

test('a session that is driven on older pins is neither migrated nor terminated by a process with newer ones', async () => {
  const { first, resting, another, land } = await driven();
  const second = another('second', (agent) => ({ ...agent, pins: { ...agent.pins, ...NEWER } }));
  const before = await first.runtime.frames('run_1');
  await expect(second.runtime.migrate('run_1', { ...ANSWER, to: NEWER })).rejects.toMatchObject({
    code: 'session_driven',
  });
  await expect(second.runtime.terminate('run_1', ANSWER)).rejects.toMatchObject({ code: 'session_driven' });
  expect(await first.runtime.frames('run_1')).toEqual(before);
  land();
  expect(await resting).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('a process from which the session was taken lets go of it, and of what it had sent', async () => {
  const { clock, resting, told, another, land } = await driven();
  const fenced = expect(resting).rejects.toMatchObject({ code: 'fenced' });
  const taken = another('second').runtime.resume('run_1', { takeOver: ANSWER });
  await turns();
  clock.advanceTo(START_MS + 1_000);
  await fenced;
  expect(told.map(({ aborted }) => aborted)).toEqual([true, false]);
  land();
  expect(await taken).toMatchObject({ terminalCode: 'SUCCESS' });
});
