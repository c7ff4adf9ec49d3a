import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { QUESTION, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const runtime = ambit({ agent: written() });
  const first = await runtime.invoke(QUESTION);
  const second = await runtime.invoke(QUESTION);
  const { inspect } = await load(1);
  await inspect(runtime, first.runId, second.runId);
};
