/** What was permitted so often and for so much is used so often and for so much, by all real processes on one file together. */
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import type { GrantTerms } from '../../../src/model/grant.ts';
import { operator, planOf, rig } from '../rig.ts';
import { child } from './child.ts';
import { POSTING, TO_ONE } from './posting.ts';
import { freshFile } from './stores.ts';

const TIMEOUT = { timeout: 120_000 };

interface Told {
  readonly status: string;
  readonly posted: number;
}

/** Two processes, let loose at the same moment, each with so many runs. */
async function race(
  terms: Partial<GrantTerms>,
  runs: number,
): Promise<{ readonly told: readonly Told[]; readonly path: string }> {
  const path = freshFile();
  const bench = rig({ ...POSTING, world: { journal: sqliteJournal({ path, hash: sha256 }) } });
  await bench.runtime.giveGrant({ ...TO_ONE, ...terms }, operator('lead_1'));
  await bench.runtime.close();
  const racers = ['left', 'right'].map((name) => child('./grant-process.ts', path, name, String(runs)));
  expect(await Promise.all(racers.map(({ ready }) => ready))).toEqual(['ready', 'ready']);
  for (const racer of racers) racer.say('go');
  const lines = (await Promise.all(racers.map((racer) => racer.lines()))).flat();
  return { told: lines.map((line) => JSON.parse(line) as Told), path };
}

const posted = (told: readonly Told[]): number => told.reduce((sum, run) => sum + run.posted, 0);

test('the last use is for one of two, and the other asks', TIMEOUT, async () => {
  for (let round = 0; round < 2; round += 1) {
    const { told } = await race({ uses_max: 1 }, 1);
    expect(told.map(({ status }) => status).toSorted()).toEqual(['awaiting_gate', 'completed']);
    expect(posted(told)).toBe(1);
  }
});

test('fifty uses for one recipient are fifty, whoever makes them', TIMEOUT, async () => {
  const { told, path } = await race({ uses_max: 50 }, 30);
  expect(told).toHaveLength(60);
  expect(posted(told)).toBe(50);
  expect(told.filter(({ status }) => status === 'awaiting_gate')).toHaveLength(10);
  const journal = sqliteJournal({ path, hash: sha256 });
  expect(await journal.standingGrants()).toMatchObject([{ uses: 50, microusd: 20_000 }]);
  expect(await journal.standingUses('grant_1')).toHaveLength(50);
  await journal.close();
});

test('what they may cost together holds as well, to the last of it', TIMEOUT, async () => {
  // Seven cost 2,800; an eighth would cost more than is left.
  const { told } = await race({ uses_max: 50, microusd_max: 3_199 }, 8);
  expect(posted(told)).toBe(7);
  expect(told.filter(({ status }) => status === 'awaiting_gate')).toHaveLength(9);
});

test('one recipient fifty times over in one call is another call, which a person sees', async () => {
  const to = Array.from({ length: 50 }, () => 'team_a');
  const step = { id: 's1', tool: 'post', params: { to, text: 'hi' }, requires: ['GATE_MODE_APPROVAL'] };
  const bench = rig({ ...POSTING, plans: [planOf([step])] });
  await bench.runtime.giveGrant(TO_ONE, operator('lead_1'));
  expect(await bench.invoke()).toMatchObject({ status: 'awaiting_gate' });
  expect(bench.dispatches).toEqual([]);
});
