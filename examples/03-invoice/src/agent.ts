import {
  type Agent,
  agent,
  type BoundTool,
  type JsonObject,
  type PlanTemplates,
  respond,
  type StartRequest,
  templatePlanner,
} from 'ambit';

/** The credit agent of the source texts, with their context pack and snapshot. */
export function finopsAgent(tools: readonly BoundTool[]): Agent {
  return agent({
    name: 'agt_finops',
    planner: templatePlanner(templates),
    tools: [...tools, respond],
    intents: [
      {
        intent: 'finance.invoice.credit_adjust',
        description: 'Credit the difference between an invoice and its agreement',
        taskClass: 'transaction',
        criteria: [{ id: 'credited', statement: 'The difference is credited.', evidence: 'credit' }],
      },
    ],
    boundary: 'procurement',
    budget: {
      stepsMax: 10,
      toolCallsMax: 12,
      externalApiCallsMax: 5,
      inputTokensMax: 10_000,
      outputTokensMax: 2_000,
      wallClockSecondsMax: 300,
      inferenceCostUsdMax: 1,
      retryCountMax: 2,
      reflectionPassesMax: 1,
      contextTokensMax: 10_000,
      memoryWritesMax: 1,
      sideEffectsMax: 2,
    },
    settings: {
      roles: { finance_clerk: 'destructive' },
      trustedInputs: { invoice_id: 'id' },
      pins: { pack_pin: 'ctxpack.finops@3.1.0', snapshot_pin: 'kg_2026_05_03_T0930' },
    },
  });
}

const credit = (): JsonObject => ({
  invoice_id: { $from: 's2', path: '/invoice_id' },
  amount_cents: { $from: 's2', path: '/amount_cents' },
});

/** The credit plan of the source texts, with an answer that states the invoice and the credit. */
const templates: PlanTemplates = {
  'finance.invoice.credit_adjust': {
    plan_id: 'plan_credit_22',
    intent: 'finance.invoice.credit_adjust',
    steps: [
      {
        id: 's1',
        tool: 'erp.read_invoice',
        context_key: 'invoice',
        params: { invoice_id: { $slot: 'invoice_id' } },
      },
      {
        id: 's2',
        tool: 'erp.reckon_credit',
        depends_on: ['s1'],
        params: {
          invoice_id: { $from: 's1', path: '/invoice_id' },
          total_cents: { $from: 's1', path: '/total_cents' },
          agreed_cents: { $from: 's1', path: '/agreed_cents' },
        },
      },
      { id: 's3', tool: 'erp.draft_credit', depends_on: ['s2'], params: credit() },
      {
        id: 's4',
        tool: 'erp.post_credit',
        context_key: 'credit',
        depends_on: ['s3'],
        requires: ['GATE_FINANCE_APPROVAL'],
        params: credit(),
      },
      // The answer states these facts without a model.
      {
        id: 's5',
        tool: 'respond',
        depends_on: ['s4'],
        inputs: ['invoice', 'credit'],
        params: { objective: 'say what was credited' },
      },
    ],
    decision_checkpoints: [],
  },
};

/** A session of four hours that reports its progress every second. */
export const creditRequest: StartRequest = {
  goal: 'Credit the difference between invoice inv_22 and its agreement',
  inputs: { invoice_id: 'inv_22' },
  mode: 'long_running',
  runtime: { max_session_duration_ms: 14_400_000, heartbeat_interval_ms: 600_000, progress_interval_ms: 1_000 },
  identity: {
    actor: 'clerk_bea',
    tenant_id: 'tenant_acme_prod',
    roles: ['finance_clerk'],
    scopes: ['erp.read_invoice', 'erp.reckon_credit', 'erp.draft_credit', 'erp.post_credit', 'respond'],
    expires_at: 4_000_000_000_000,
  },
};
