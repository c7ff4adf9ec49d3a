/**
 * Reading a run costs the same number of reads of the store, however long the run is and however many other runs the
 * store has. Each read walks the run at most once, so the cost is linear in the run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openJournal } from '../../src/compose.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import { CAPS, planOf, type Rig, rig } from '../runs/rig.ts';

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
const { journal, taken } = countedJournal(join(folder, 'growth.db'));
const LENGTHS = [4, 40, 4, 4, 4, 4, 4, 4] as const;
const WRITES = { approval_mode: 'local_write', side_effect: true } as const;

let bench: Rig;
let short = '';
let long = '';

beforeAll(async () => {
  bench = rig({
    tools: { write: WRITES, last: { ...WRITES, produces: ['done'] } },
    plans: LENGTHS.map(stepsOf),
    caps: { ...CAPS, steps_max: 100, tool_calls_max: 100, external_api_calls_max: 100, side_effects_max: 100 },
    world: { journal },
  });
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
  stateAt: (runId) => bench.runtime.records.stateAt(runId, 2),
  diff: (runId) => bench.runtime.records.diff(runId, runId),
  otel: (runId) => bench.runtime.records.otel(runId),
  artifacts: (runId) => bench.runtime.records.artifacts(runId),
  outcome: (runId) => bench.runtime.sessions.get(runId),
};

async function readsOf(read: (runId: string) => Promise<unknown>, runId: string): Promise<Counts> {
  taken();
  await read(runId);
  return taken();
}

describe.each(Object.entries(READS))('%s', (_, read) => {
  test('reads the store as often for a run of 40 steps as for one of 4', async () => {
    const few = await readsOf(read, short);
    expect(few['load']).toBeGreaterThan(0);
    expect(await readsOf(read, long)).toEqual(few);
  });
});

test('verify of the whole store reads each run as often as verify of one run', async () => {
  const one = await readsOf((runId) => bench.runtime.records.verify(runId), short);
  for (const _ of LENGTHS.slice(2)) await bench.invoke();
  taken();
  const report = await bench.runtime.records.verify();
  const all = taken();
  expect(report).toMatchObject({ runs: LENGTHS.length, damaged: [] });
  expect(all['load']).toBe((one['load'] ?? 0) * LENGTHS.length);
  expect(all['texts']).toBe((one['texts'] ?? 0) * LENGTHS.length);
});
