/** Two thousand kills over the nine recorded tasks. */
import { expect, test } from 'vitest';
import { checkTau, FIXTURE } from './check-tau.ts';

const KILLS = 2_000;

test('two thousand kills: every task ends in its recorded state, with every write once', async () => {
  const { status, last, stdout } = await checkTau('--data', FIXTURE, '--kills', String(KILLS), '--json');
  expect(JSON.parse(last), stdout).toMatchObject({ tasks: 9, right: 9, duplicated: 0, lost: 0, kills: KILLS });
  expect(status, stdout).toBe(0);
}, 3_600_000);
