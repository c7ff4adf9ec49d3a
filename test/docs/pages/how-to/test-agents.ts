import { equal } from 'node:assert/strict';
import { z } from 'zod';
import { agent, ambit, tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';

const refund = tool({
  name: 'payments.refund',
  description: 'Refund an order',
  approvalMode: 'network',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: z.object({ order_id: z.string(), status: z.string() }),
  execute: ({ order_id }) => ({ order_id, status: 'refunded' }),
  risk: { requestWords: ['refund'] },
});

export const run: PageFixture = async (page) => {
  await page.load(1);
  const { model } = await page.load(2);
  const settings = { roles: { customer: 'destructive' } } as const;
  const support = agent({
    name: 'support',
    model,
    tools: [refund],
    boundary: 'customer_support',
    budget: 'standard',
    settings,
  });
  const user = { name: 'ada', tenant: 'shop', roles: ['customer'] };
  const noted: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = (note: unknown) => noted.push(String(note)) > 0;
  const { text } = await ambit({ agent: support }).invoke({ message: 'Refund order ord_881', user });
  process.stderr.write = write;
  equal(text, 'Order ord_881 is refunded.');
  equal(noted.join('').startsWith('scripted model: '), true);
};
