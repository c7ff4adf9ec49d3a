/**
 * Reading a run is linear in its length and independent of the other runs of the store. Each query reads the store the
 * same number of times, returns and parses at most in proportion to the run, and scans no table.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openJournal, storeTools } from '../../src/compose.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import { crashDuringCall, restartProcess } from '../runs/executing/crashed-process.ts';
import { CAPS, planOf, type Rig, type RigOptions, rig } from '../runs/rig.ts';
import { countReads, type Reads, scansIn } from '../store/count-reads.ts';

type Counts = Record<string, number>;

/** A journal on a file that counts the calls of each of its methods. */
function countedJournal(file: string): { readonly journal: Journal; readonly taken: () => Counts } {
  const inner = openJournal(`sqlite:${file}`);
  let counts: Counts = {};
  const journal = Object.fromEntries(
    Object.entries(inner).map(([name, method]) => [
      name,
      typeof method !== 'function'
        ? method
        : (...args: unknown[]) => {
            counts[name] = (counts[name] ?? 0) + 1;
            return (method as (...given: unknown[]) => unknown)(...args);
          },
    ]),
  ) as unknown as Journal;
  const taken = (): Counts => {
    const now = counts;
    counts = {};
    return now;
  };
  return { journal, taken };
}

const stepsOf = (count: number) =>
  planOf(
    Array.from({ length: count }, (_, place) => ({
      id: `s${place}`,
      tool: place === count - 1 ? 'last' : 'write',
      params: { place },
    })),
    { plan_id: `plan_${count}` },
  );

const folder = mkdtempSync(join(tmpdir(), 'ambit-growth-'));
const path = join(folder, 'growth.db');
const { journal, taken } = countedJournal(path);
const [FEW, MANY] = [4, 40];
const LENGTHS = [FEW, MANY, 4, 4, 4, 4, 4, 4] as const;
/** The store gets this many times its runs later. */
const TIMES = 4;
const MORE = 40;
const WRITES = { approval_mode: 'local_write', side_effect: true } as const;
/** A plan binds to a part of this answer, so that replay compares the part with the stored answer. */
const LARGE = { note: 'x'.repeat(20_000), size: 1 };
const OPTIONS: RigOptions = {
  tools: {
    write: { ...WRITES, execute: ({ place }) => (place === 0 ? LARGE : { place: place ?? null }) },
    last: { ...WRITES, produces: ['done'] },
  },
  caps: { ...CAPS, steps_max: 100, tool_calls_max: 100, external_api_calls_max: 100, side_effects_max: 100 },
};

let bench: Rig;
let short = '';
let long = '';

beforeAll(async () => {
  const plans = [...LENGTHS, ...Array.from({ length: MORE }, () => FEW)].map(stepsOf);
  bench = rig({ ...OPTIONS, plans, world: { journal } });
  short = (await bench.invoke()).runId;
  long = (await bench.invoke()).runId;
});

afterAll(async () => {
  await bench.runtime.close();
  rmSync(folder, { recursive: true, force: true });
});

const READS: Readonly<Record<string, (runId: string) => Promise<unknown>>> = {
  replay: (runId) => bench.runtime.records.replay(runId),
  verify: (runId) => bench.runtime.records.verify(runId),
  export: (runId) => bench.runtime.records.export(runId),
  trace: (runId) => bench.runtime.records.trace(runId),
  account: (runId) => bench.runtime.records.account(runId),
  stateAt: (runId) => bench.runtime.records.stateAt(runId, 2),
  diff: (runId) => bench.runtime.records.diff(runId, runId),
  otel: (runId) => bench.runtime.records.otel(runId),
  artifacts: (runId) => bench.runtime.records.artifacts(runId),
  whatIf: (runId) => bench.runtime.records.whatIf(runId, {}),
  finished: (runId) => bench.runtime.records.finished(runId),
  observation: async (runId) => {
    const { tool_calls } = await bench.runtime.records.trace(runId);
    return await bench.runtime.records.observation(runId, tool_calls[0]?.observation ?? '');
  },
  outcome: (runId) => bench.runtime.sessions.get(runId),
};

/** Ten times the steps may cost ten times as much, and not a tenth more. */
const LINEAR = 11;

function expectLinear(few: Reads, many: Reads): void {
  expect(few.rows).toBeGreaterThan(0);
  expect(many.rows / few.rows).toBeLessThan(LINEAR);
  expect(many.parsed / Math.max(1, few.parsed)).toBeLessThan(LINEAR);
  expect(countOf(many) / countOf(few)).toBeLessThan(LINEAR);
}

/** The number of statements that ran. */
const countOf = ({ runs }: Reads): number => [...runs.values()].reduce((sum, count) => sum + count, 0);

const readsOf = (read: (runId: string) => Promise<unknown>, runId: string): Promise<Reads> =>
  countReads(() => read(runId));

describe.each(Object.entries(READS))('%s', (_, read) => {
  test('calls the journal as often for a run of 40 steps as for one of 4', async () => {
    taken();
    await read(short);
    const few = taken();
    expect(few['load']).toBeGreaterThan(0);
    await read(long);
    expect(taken()).toEqual(few);
  });

  test('reads ten times as much for ten times the steps, and scans nothing', async () => {
    const many = await readsOf(read, long);
    expectLinear(await readsOf(read, short), many);
    expect(scansIn(path, many)).toEqual([]);
  });
});

/** Makes a run of this length in a file of its own, whose process dies during its last call, and resumes it. */
async function resumed(steps: number): Promise<Reads> {
  const file = join(folder, `resume-${steps}.db`);
  const options = { ...OPTIONS, plans: [stepsOf(steps)], world: { journal: openJournal(`sqlite:${file}`) } };
  const life = await crashDuringCall('last', options);
  const next = restartProcess(life, options);
  next.clock.advanceTo(next.clock.nowMs() + 3_600_000);
  const [session] = await next.runtime.sessions.list({});
  const reads = await countReads(() => next.settle(next.runtime.resume(session?.runId ?? '')));
  expect(scansIn(file, reads)).toEqual([]);
  await next.runtime.close();
  return reads;
}

test('resume reads ten times as much for ten times the steps, and scans nothing', async () => {
  expectLinear(await resumed(FEW), await resumed(MANY));
});

test('a fork reads and writes ten times as much for ten times the steps, and scans nothing', async () => {
  const { records } = bench.runtime;
  const fork = async (runId: string): Promise<unknown> => {
    const { state_checkpoints } = await records.trace(runId);
    const at = state_checkpoints.findLast(({ judged }) => judged === 'step')?.checkpoint_id ?? '';
    return await bench.settle(records.fork(runId, { at }));
  };
  const many = await readsOf(fork, long);
  expectLinear(await readsOf(fork, short), many);
  expect(scansIn(path, many)).toEqual([]);
});

test('an import reads ten times as much for ten times the steps', async () => {
  const { records } = bench.runtime;
  const imported = async (runId: string): Promise<Reads> => {
    const file = await records.export(runId);
    const there = rig({ ...OPTIONS, world: { journal: openJournal(`sqlite:${join(folder, `${runId}.db`)}`) } });
    const reads = await countReads(() => there.runtime.records.import(file));
    await there.runtime.close();
    return reads;
  };
  expectLinear(await imported(short), await imported(long));
});

describe('among four times as many runs', () => {
  const before = new Map<string, Reads>();
  let few = 0;

  beforeAll(async () => {
    for (const [name, read] of Object.entries(READS)) before.set(name, await readsOf(read, short));
    for (const _ of LENGTHS.slice(2)) await bench.invoke();
    few = (await bench.runtime.sessions.list({})).length;
    before.set('all', await readsOf(() => bench.runtime.records.verify(), ''));
    before.set('check', await readsOf(async () => storeTools.check(path), ''));
    while ((await bench.runtime.sessions.list({})).length < few * TIMES) await bench.invoke();
  }, 60_000);

  test.each(Object.entries(READS))('%s reads no more', async (name, read) => {
    const { rows, parsed, runs } = await readsOf(read, short);
    expect({ rows, parsed, runs }).toEqual(before.get(name));
  });

  test('verify of the whole store reads each run as often as verify of one run', async () => {
    taken();
    await bench.runtime.records.verify(short);
    const one = taken();
    const all = await readsOf(() => bench.runtime.records.verify(), '');
    const calls = taken();
    const { length } = await bench.runtime.sessions.list({});
    for (const name of ['load', 'texts']) expect([name, calls[name]]).toEqual([name, (one[name] ?? 0) * length]);
    expect(all.rows / (before.get('all') as Reads).rows).toBeLessThan(TIMES * 1.1);
    expect(scansIn(path, all)).toEqual([]);
  });

  test('a check of the store reads each run once, with as many scans of tables', async () => {
    const all = await readsOf(async () => storeTools.check(path), '');
    const small = before.get('check') as Reads;
    expect(all.rows / small.rows).toBeLessThan(TIMES * 1.1);
    expect(all.parsed / small.parsed).toBeLessThan(TIMES * 1.1);
    for (const { sql, runs } of scansIn(path, all)) expect([sql, small.runs.get(sql)]).toEqual([sql, runs]);
  });
});
