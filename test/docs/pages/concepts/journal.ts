import { equal } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { emptyMemoryStore } from '../../../journal/memory-store.ts';
import type { PageFixture } from '../../page.ts';
import { QUESTION, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const { open } = await load(1);
  const runtime = open(written());
  equal((await runtime.invoke(QUESTION)).terminalCode, 'SUCCESS');
  await runtime.close();
  equal(existsSync('ambit.db'), true);

  const { checkStore } = await load(2);
  await checkStore(async () => emptyMemoryStore());
};
