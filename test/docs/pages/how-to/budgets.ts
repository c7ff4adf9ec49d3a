import { equal } from 'node:assert/strict';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { QUESTION, written } from '../parts.ts';

export const run: PageFixture = async ({ read }) => {
  const prices = JSON.parse(read('json', 1));
  const { cost, usage } = await ambit({ agent: written(), world: { policy: { prices } } }).invoke(QUESTION);
  equal(cost.usd, usage.toolCalls * prices.tool_call);
};
