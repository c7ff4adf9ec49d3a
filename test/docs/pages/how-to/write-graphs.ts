import { deepEqual, equal } from 'node:assert/strict';
import { z } from 'zod';
import { ambit, templatePlanner, tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, boundary, written } from '../parts.ts';

const refund = tool({
  name: 'refund',
  description: 'Refunds an order',
  approvalMode: 'local_write',
  inputSchema: z.object({ amount_cents: z.int() }),
  outputSchema: z.object({ refunded: z.int() }),
  execute: ({ amount_cents }) => ({ refunded: amount_cents }),
  effects: { produces: ['refund'] },
  risk: { trusted: true },
});

export const run: PageFixture = async ({ load }) => {
  const { refunds, mayStart } = await load(1);
  const params = { amount_cents: { $slot: 'amount_cents' } };
  const steps = [{ id: 's1', tool: 'refund', params }];
  const agent = written({
    planner: templatePlanner({ refund: { plan_id: 'plan_1', intent: 'refund', steps, decision_checkpoints: [] } }),
    intents: [{ intent: 'refund', description: 'Refund an order' }],
    tools: [refund],
    boundary: boundary(['refund']),
    settings: { autonomy: { tier: 3, needs: ['static_branching'] }, roles: { subscriber: 'local_write' } },
  });
  const runtime = ambit({ agent, graph: refunds, guards: { 'refund.may_start@1': mayStart } });
  const outcomes = [1_000, 90_000].map((amount_cents) =>
    runtime.invoke({ message: 'Refund my order', user: ADA, inputs: { amount_cents } }),
  );
  const [small, large] = await Promise.all(outcomes);
  equal(small?.terminalCode, 'SUCCESS', JSON.stringify(small));
  deepEqual(
    large?.pending.map(({ name }) => name),
    ['GATE_PLAN_APPROVAL'],
    JSON.stringify(large),
  );
  await runtime.records.replay(small?.runId ?? '');
};
