import { type Agent, agent, type PlanTemplates, templatePlanner } from 'ambit';
import { lookUpOrder, refundOrder } from './shop.ts';

/** The plan of a refund. `$slot` takes an input of the run, `$from` the verified result of an earlier step. */
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

/** The template planner needs no model and no API key. To plan with a model, set `model` instead. */
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
  // The limits of one run. Each dimension is checked separately.
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
  settings: { roles: { support: 'destructive' }, trustedInputs: { order_id: 'id' } },
});
