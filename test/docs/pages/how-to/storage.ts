import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { QUESTION, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const runtime = ambit({ agent: written(), store: 'sqlite:ambit.db' });
  await runtime.invoke(QUESTION);
  await runtime.close();
  await load(1);
};
