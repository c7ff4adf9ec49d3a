/** A classifier may be anybody's code. Whatever it does, the user is asked, and the run waits for no answer for ever. */
import { expect, test } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { NO_COST } from '../../../src/model/tool.ts';
import type { Classifier, Reading } from '../../../src/ports/classifier.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { countingIds, letTimePass, REQUEST, START_MS } from '../rig.ts';
import { accountAgent, CLOSE_IT } from './accounts.ts';

const STRANGE: Readonly<Record<string, Classifier['classify']>> = {
  'never answers': () => new Promise(() => undefined),
  'throws before it has promised anything': () => {
    throw new Error('out of order');
  },
  'answers nothing': async () => undefined as unknown as Reading,
  'is surer than sure': async () => ({ intent: 'delete_account', confidence: 7 }),
  'is sure to no number': async () => ({ intent: 'delete_account', confidence: Number.NaN }),
  'is sure in words': async () => ({ intent: 'delete_account', confidence: 'very' as unknown as number }),
};

test.each(Object.entries(STRANGE))('one that %s has read nothing', async (_, classify) => {
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
