import { type Agent, agent, type PlanTemplates, templatePlanner } from 'ambit';
import { lookUpOrder, refundOrder } from './shop.ts';

/** The plan of every refund. A value of one step is bound to what an earlier one has really seen. */
const templates: PlanTemplates = {
  'support.refund': {
    plan_id: 'plan_refund',
    intent: 'support.refund',
    steps: [
      { id: 'look', tool: 'orders.lookup', params: { order_id: { $slot: 'order_id' } } },
      {
        id: 'refund',
        tool: 'payments.refund',
        depends_on: ['look'],
        approval_mode: 'destructive',
        requires: ['GATE_REFUND'],
        params: {
          order_id: { $from: 'look', path: '/order_id' },
          amount_cents: { $from: 'look', path: '/total_cents' },
        },
      },
    ],
    decision_checkpoints: [],
  },
};

/** No model and no key: to let a model plan, put `planFirst({ model })` in the place of `templatePlanner`. */
export const support: Agent = agent({
  name: 'support',
  planner: templatePlanner(templates),
  tools: [lookUpOrder, refundOrder],
  intents: [
    {
      intent: 'support.refund',
      description: 'Refund an order to its original payment method',
      criteria: [{ id: 'refunded', statement: 'The order is refunded.', evidence: 'refund' }],
    },
  ],
  boundary: 'customer_support',
  // The most that one run may use. Nothing offsets anything else.
  budget: {
    stepsMax: 10,
    toolCallsMax: 10,
    sideEffectsMax: 1,
    wallClockSecondsMax: 300,
    externalApiCallsMax: 5,
    inputTokensMax: 100_000,
    outputTokensMax: 20_000,
    contextTokensMax: 100_000,
    inferenceCostUsdMax: 1,
    retryCountMax: 3,
    reflectionPassesMax: 1,
    memoryWritesMax: 0,
  },
  settings: { roles: { support: 'destructive' } },
});
