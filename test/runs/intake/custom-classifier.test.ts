/** A custom classifier may misbehave. The user decides in every case, and the run never waits forever. */
import { expect, test } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { Classifier, Reading } from '../../../src/ports/model/model-roles.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { countingIds, letTimePass, REQUEST, START_MS } from '../rig.ts';
import { accountAgent, CLOSE_IT } from './accounts.ts';

const STRANGE: Readonly<Record<string, Classifier['classify']>> = {
  'never answers': () => new Promise(() => undefined),
  'throws synchronously': () => {
    throw new Error('out of order');
  },
  'returns undefined': async () => undefined as unknown as Reading,
  'returns a confidence above one': async () => ({ intent: 'delete_account', confidence: 7 }),
  'returns NaN as confidence': async () => ({ intent: 'delete_account', confidence: Number.NaN }),
  'returns a string as confidence': async () => ({ intent: 'delete_account', confidence: 'very' as unknown as number }),
};

test.each(Object.entries(STRANGE))('ignores a classifier that %s', async (_, classify) => {
  const clock = simulatedClock(START_MS);
  const sent: string[] = [];
  const classifier: Classifier = { cost: NO_COST, classify };
  const world = { clock, timer: clock, ids: countingIds(), classifier };
  const runtime = ambit({ ...accountAgent(sent), world });
  const run = await letTimePass(clock, runtime.invoke({ ...REQUEST, intent: 'close', goal: CLOSE_IT }));
  expect(run).toMatchObject({ status: 'paused', suspended: { code: 'AMBIGUOUS_INTENT' } });
  expect(clock.nowMs() - START_MS).toBeLessThanOrEqual(60_000);
  expect(sent).toEqual([]);
});
