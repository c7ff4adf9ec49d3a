import { deepEqual, match } from 'node:assert/strict';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { QUESTION, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const runtime = ambit({ agent: written() });
  const { runId } = await runtime.invoke(QUESTION);
  const { summarize } = await load(1);
  match(await summarize(runtime, runId), /called customer \(ok\).* The first answer was .*"plan":"Pro"/);
  const { missedTargets } = await load(2);
  deepEqual(await missedTargets(runtime, 'billing'), []);
  const { markWrong } = await load(3);
  await markWrong(runtime, runId);
  const [missed] = await missedTargets(runtime, 'billing');
  deepEqual(missed?.metric, 'task_success_rate');
};
