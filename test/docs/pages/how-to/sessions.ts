import { deepEqual, equal } from 'node:assert/strict';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { QUESTION, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const runtime = ambit({ agent: written() });
  const { runLong } = await load(1);
  equal((await runLong(runtime, QUESTION)).status, 'completed');

  const { serve } = await load(2);
  const failed: unknown[] = [];
  const serving = serve(runtime, (...failure: unknown[]) => failed.push(failure));
  const { runId } = runtime.start(QUESTION) as unknown as { runId: string };
  process.kill(process.pid, 'SIGTERM');
  await serving;
  deepEqual(failed, [], runId);
};
