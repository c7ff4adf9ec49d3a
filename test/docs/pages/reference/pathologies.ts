import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { QUESTION, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const runtime = ambit({ agent: written() });
  const { runId } = await runtime.invoke(QUESTION);
  const { printDiagnosis } = await load(1);
  await printDiagnosis(runtime, runId);
};
