import {
  type Agent,
  agent,
  type BoundTool,
  type DecisionSpec,
  decision,
  type ModelProfile,
  type PlanTemplates,
  templatePlanner,
} from 'ambit';

/** The support agent: its tools, boundary and budget. Its plans are templates; a model may write its answers. */
export function supportAgent(tools: readonly BoundTool[], composer?: ModelProfile): Agent {
  return agent({
    name: 'support',
    planner: templatePlanner(templates),
    models: composer === undefined ? {} : { composer },
    tools,
    decisions: [refundDecision],
    intents: [
      {
        intent: 'support.refund',
        description: 'Refund an order to its original payment method',
        taskClass: 'transaction',
        capability: 'payments',
        criteria: [
          { id: 'refunded', statement: 'The order is refunded.', evidence: 'refund' },
          { id: 'covered', statement: 'The refund policy covers it.', evidence: 'policy' },
        ],
      },
    ],
    boundary: 'customer_support',
    budget: {
      stepsMax: 10,
      toolCallsMax: 20,
      externalApiCallsMax: 5,
      inputTokensMax: 100_000,
      outputTokensMax: 20_000,
      wallClockSecondsMax: 300,
      inferenceCostUsdMax: 1,
      retryCountMax: 3,
      reflectionPassesMax: 1,
      contextTokensMax: 100_000,
      memoryWritesMax: 2,
      sideEffectsMax: 1,
    },
    settings: {
      roles: { support_agent: 'destructive' },
      trustedInputs: { order_id: 'id' },
      scopes: {
        'adp_orders.lookup': ['orders.read'],
        'adp_policy.eval': ['policy.read'],
        'adp_payments.issue_refund': ['payments.refund'],
        'adp_payments.find_refund': ['payments.refund'],
      },
      pins: { pack_pin: 'ctxpack.support@1.0.0', snapshot_pin: 'kg_2026_05_03_T0930' },
    },
  });
}

/** A refund needs the order and the policy as evidence, and the approval of finance. */
export const refundDecision: DecisionSpec = decision({
  id: 'support.refund.execute',
  description: 'Pay money back to a customer',
  evidence: ['order', 'policy'],
  approvals: ['GATE_FINANCE_APPROVAL'],
  actions: ['adp_payments.issue_refund'],
});

/** The refund plan of the source texts, with the arguments of each step bound to earlier results. */
export const templates: PlanTemplates = {
  'support.refund': {
    plan_id: 'plan_refund_01',
    intent: 'support.refund',
    steps: [
      { id: 's1', tool: 'adp_orders.lookup', params: { order_id: { $slot: 'order_id' } } },
      {
        id: 's2',
        tool: 'adp_policy.eval',
        depends_on: ['s1'],
        params: {
          order_id: { $from: 's1', path: '/order_id' },
          total_cents: { $from: 's1', path: '/total_cents' },
          damaged: { $from: 's1', path: '/damaged' },
        },
      },
      {
        id: 's3',
        tool: 'adp_payments.issue_refund',
        depends_on: ['s2'],
        approval_mode: 'destructive',
        requires: ['GATE_FINANCE_APPROVAL'],
        params: {
          order_id: { $from: 's1', path: '/order_id' },
          amount_cents: { $from: 's2', path: '/amount_cents' },
        },
      },
    ],
    decision_checkpoints: [{ decision_id: 'support.refund.execute', after_step: 's2' }],
  },
};
