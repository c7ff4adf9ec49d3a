import { equal } from 'node:assert/strict';
import type { PageFixture } from '../../page.ts';

/** The command lines of the page run in `test/docs/shell.test.ts`. */
export const run: PageFixture = async ({ load }) => {
  const { default: config } = await load(1);
  equal(config.agents[0].spec.name, 'support');
};
