import { throws } from 'node:assert/strict';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const { boundary } = await load(1);
  throws(() => ambit({ agent: written({ boundary }) }), /customer/);
};
