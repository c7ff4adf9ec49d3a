import { equal } from 'node:assert/strict';
import { z } from 'zod';
import { ambit, type BoundTool, tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, gateOf, step, written } from '../parts.ts';

const refund = tool({
  name: 'orders.refund',
  description: 'Refund an order',
  approvalMode: 'destructive',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: z.object({ refund_id: z.string() }),
  execute: () => ({ refund_id: 're_1' }),
  rules: { action: 'refund' },
});

export const run: PageFixture = async ({ load }) => {
  const { lookUp } = (await load(1)) as { lookUp: BoundTool };
  const order = { order_id: 'ord_881' };
  const steps = [
    step('orders.lookup', order),
    { ...step('orders.refund', order, 's2'), depends_on: ['s1'], requires: ['GATE_MODE_APPROVAL'] },
  ];
  const request = { message: 'Refund order ord_881', user: ADA };
  const answered = ambit({ agent: written({ tools: [lookUp, refund] }, steps) });
  equal(gateOf(await answered.invoke(request)).name, 'GATE_MODE_APPROVAL');

  const denied = await ambit({ agent: written({ tools: [refund] }, [step('orders.refund', order)]) }).invoke(request);
  equal(denied.terminalCode, 'PERMISSION_DENIED');
};
