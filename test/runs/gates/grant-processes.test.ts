/** Tests that the limits of a standing grant hold across real processes on one file. */
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import type { GrantTerms } from '../../../src/model/gate/grant.ts';
import { operator, planOf, rig } from '../rig.ts';
import { child } from './child.ts';
import { POSTING, TO_ONE } from './posting-runs.ts';
import { freshFile } from './stores.ts';

const TIMEOUT = { timeout: 120_000 };

interface RunReport {
  readonly status: string;
  readonly posted: number;
}

/** Starts two processes at the same moment, each with this number of runs. */
async function race(
  terms: Partial<GrantTerms>,
  runs: number,
): Promise<{ readonly reports: readonly RunReport[]; readonly path: string }> {
  const path = freshFile();
  const bench = rig({ ...POSTING, world: { journal: sqliteJournal({ path, hash: sha256 }) } });
  await bench.runtime.grants.give({ ...TO_ONE, ...terms }, operator('lead_1'));
  await bench.runtime.close();
  const racers = ['left', 'right'].map((name) => child('./grant-process.ts', path, name, String(runs)));
  expect(await Promise.all(racers.map(({ ready }) => ready))).toEqual(['ready', 'ready']);
  for (const racer of racers) racer.write('go');
  const lines = (await Promise.all(racers.map((racer) => racer.lines()))).flat();
  return { reports: lines.map((line) => JSON.parse(line) as RunReport), path };
}

const posted = (reports: readonly RunReport[]): number => reports.reduce((sum, run) => sum + run.posted, 0);

test('gives the last use to one of two processes, and the other waits at the gate', TIMEOUT, async () => {
  for (let round = 0; round < 2; round += 1) {
    const { reports } = await race({ uses_max: 1 }, 1);
    expect(reports.map(({ status }) => status).toSorted()).toEqual(['awaiting_gate', 'completed']);
    expect(posted(reports)).toBe(1);
  }
});

test('permits exactly fifty uses across both processes', TIMEOUT, async () => {
  const { reports, path } = await race({ uses_max: 50 }, 30);
  expect(reports).toHaveLength(60);
  expect(posted(reports)).toBe(50);
  expect(reports.filter(({ status }) => status === 'awaiting_gate')).toHaveLength(10);
  const journal = sqliteJournal({ path, hash: sha256 });
  expect(await journal.standingGrants()).toMatchObject([{ uses: 50, microusd: 20_000 }]);
  expect(await journal.standingUses('grant_1')).toHaveLength(50);
  await journal.close();
});

test('limits the total cost across both processes', TIMEOUT, async () => {
  // Seven calls cost 2,800; an eighth would exceed the limit.
  const { reports } = await race({ uses_max: 50, microusd_max: 3_199 }, 8);
  expect(posted(reports)).toBe(7);
  expect(reports.filter(({ status }) => status === 'awaiting_gate')).toHaveLength(9);
});

test('does not cover one call with a list of fifty recipients', async () => {
  const to = Array.from({ length: 50 }, () => 'team_a');
  const step = { id: 's1', tool: 'post', params: { to, text: 'hi' }, requires: ['GATE_MODE_APPROVAL'] };
  const bench = rig({ ...POSTING, plans: [planOf([step])] });
  await bench.runtime.grants.give(TO_ONE, operator('lead_1'));
  expect(await bench.invoke()).toMatchObject({ status: 'awaiting_gate' });
  expect(bench.dispatches).toEqual([]);
});
