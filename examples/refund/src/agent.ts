import { type AgentSpec, type DecisionSpec, type PlanTemplates, parseAgent } from 'ambit';

/** What the support agent may do, and how much of it. */
export const support: AgentSpec = parseAgent({
  name: 'support',
  version: '1',
  intents: [
    {
      intent: 'support.refund',
      description: 'Refund an order to its original payment method',
      task_class: 'transaction',
      risk: 'high',
      modality: 'text',
      capability: 'payments',
      criteria: [
        { id: 'refunded', statement: 'The order is refunded.', rank: 'primary', evidence: 'refund' },
        { id: 'covered', statement: 'The refund policy covers it.', rank: 'primary', evidence: 'policy' },
      ],
    },
  ],
  boundary: {
    boundary_id: 'support_refunds',
    version: '1',
    profile: 'customer_support',
    observations: { permission_scopes: ['orders'], confirm_scopes: [], authority_min: 0, personal_data: 'withheld' },
    state_writes: { task_state: 'proposed', persistent_memory: 'approval' },
    tools: {
      allowed: ['adp_orders.lookup', 'adp_policy.eval', 'adp_payments.issue_refund'],
      needs_approval: [],
      mode_max: 'destructive',
      risk_max: 'high',
      untrusted_arguments: 'shown',
    },
    decision_rights: ['plan', 'clarification_request', 'escalation_recommendation'],
    resource_budgets: {},
    escalation_paths: ['operator', 'review_queue', 'budget_queue', 'security'],
  },
  budget: {
    profile: 'customer_support',
    overrides: {
      steps_max: 10,
      tool_calls_max: 20,
      external_api_calls_max: 5,
      input_tokens_max: 100_000,
      output_tokens_max: 20_000,
      wall_clock_seconds_max: 300,
      inference_cost_usd_max: 1,
      retry_count_max: 3,
      reflection_passes_max: 1,
      context_tokens_max: 100_000,
      memory_writes_max: 2,
      side_effects_max: 1,
    },
  },
  autonomy: { environment: 'production', tier: 6, needs: ['unattended_plan'], reasons: [] },
  access: {
    tool_scopes: {
      'adp_orders.lookup': ['orders.read'],
      'adp_policy.eval': ['policy.read'],
      'adp_payments.issue_refund': ['payments.refund'],
    },
    role_authority: { support_agent: 'destructive' },
  },
  pins: {
    pack_pin: 'ctxpack.support@1.0.0',
    snapshot_pin: 'kg_2026_05_03_T0930',
    model_versions: { planner: 'none', executor: 'none', verifier: 'none', router: 'none' },
    prompt_template_versions: {},
  },
});

/** Money leaves only after the order and the policy are known, and only through the finance gate. */
export const refundDecision: DecisionSpec = {
  decision_id: 'support.refund.execute',
  version: '1',
  description: 'Pay money back to a customer',
  evidence: ['order', 'policy'],
  approvals: ['GATE_FINANCE_APPROVAL'],
  controls: [],
  evaluators: [],
  accept_threshold: 0.8,
  risk_class: 'high',
  actions: ['adp_payments.issue_refund'],
};

/** The plan of the texts, with the values of each step bound to what an earlier one will commit. */
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
