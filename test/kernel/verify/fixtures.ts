import { type ToolTable, toolTable } from '../../../src/kernel/verify/tool-table.ts';
import { type PlanVerification, type VerifyContext, verifyPlan } from '../../../src/kernel/verify/verify-plan.ts';
import type { DecisionSpec } from '../../../src/model/critic/decision.ts';
import { deepFreeze } from '../../../src/model/json/freeze.ts';
import type { Problem } from '../../../src/model/json/problem.ts';
import type { Plan, PlanStep } from '../../../src/model/plan/plan.ts';
import { NO_COST, type ToolSpec } from '../../../src/model/tool/tool.ts';
import { compileWithAjv } from './ajv.ts';

/** A harmless tool that accepts and returns anything; a test overrides only what it is about. */
export function spec(name: string, more: Partial<ToolSpec> = {}): ToolSpec {
  return {
    name,
    version: '1.0.0',
    description: 'A tool',
    approval_mode: 'read_only',
    category: 'read_only_lookup',
    input_schema: { type: 'object' },
    output_schema: {},
    active: true,
    external: false,
    side_effect: false,
    trusted: true,
    gates: [],
    produces: [],
    needs: [],
    idempotency: { kind: 'natural' },
    timeout_ms: 1_000,
    retries_max: 0,
    cost: NO_COST,
    ...more,
  };
}

export function decision(decision_id: string, more: Partial<DecisionSpec> = {}): DecisionSpec {
  return {
    decision_id,
    version: '1.0.0',
    description: 'A decision',
    evidence: [],
    approvals: [],
    controls: [],
    evaluators: [],
    accept_threshold: 0.8,
    risk_class: 'high',
    actions: [],
    ...more,
  };
}

export const REFUND_TOOLS: readonly ToolSpec[] = [
  spec('adp_orders.lookup', {
    input_schema: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
    output_schema: {
      type: 'object',
      properties: { order: { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] } },
      required: ['order'],
    },
    produces: ['order'],
  }),
  spec('adp_policy.eval', { produces: ['policy'] }),
  spec('adp_payments.issue_refund', {
    approval_mode: 'destructive',
    category: 'payment',
    side_effect: true,
    external: true,
    gates: ['GATE_FINANCE_APPROVAL'],
    cost: { input_tokens: 0, output_tokens: 0, microusd: 500 },
  }),
];

const REFUND_DECISION: DecisionSpec = decision('support.refund.execute', {
  evidence: ['order', 'policy'],
  approvals: ['GATE_FINANCE_APPROVAL'],
  actions: ['adp_payments.issue_refund'],
});

/** The plan of the source texts, as printed. */
export const REFUND_PLAN: Plan = deepFreeze({
  plan_id: 'plan_refund_01',
  intent: 'support.refund',
  steps: [
    { id: 's1', tool: 'adp_orders.lookup', params: { order_id: 'ord_881' } },
    { id: 's2', tool: 'adp_policy.eval', depends_on: ['s1'] },
    {
      id: 's3',
      tool: 'adp_payments.issue_refund',
      depends_on: ['s2'],
      approval_mode: 'destructive',
      requires: ['GATE_FINANCE_APPROVAL'],
    },
  ],
  decision_checkpoints: [{ decision_id: 'support.refund.execute', after_step: 's2' }],
});

export function table(specs: readonly ToolSpec[], allowed?: readonly string[]): ToolTable {
  return toolTable(specs, new Set(allowed ?? specs.map(({ name }) => name)), compileWithAjv);
}

const UNLIMITED = 1e9;

/** A context in which every plan passes. */
export function context(more: Partial<VerifyContext> & { readonly specs?: readonly ToolSpec[] } = {}): VerifyContext {
  const { specs = REFUND_TOOLS, ...rest } = more;
  return {
    tools: table(specs),
    catalog: new Map([[REFUND_DECISION.decision_id, REFUND_DECISION]]),
    policy: { version: 'p1', invariants: () => [] },
    authority: 'destructive',
    risk: 'high',
    remaining: {
      steps: UNLIMITED,
      tool_calls: UNLIMITED,
      external_api_calls: UNLIMITED,
      side_effects: UNLIMITED,
      input_tokens: UNLIMITED,
      output_tokens: UNLIMITED,
      cost_microusd: UNLIMITED,
    },
    known: known(),
    ...rest,
  };
}

export function known(more: Partial<VerifyContext['known']> = {}): VerifyContext['known'] {
  return {
    evidence: new Set(),
    committed: new Map(),
    keys: new Map(),
    support: new Map(),
    decided: new Set(),
    depth: 0,
    depthMax: 2,
    ...more,
  };
}

export function planOf(steps: readonly PlanStep[], more: Partial<Plan> = {}): Plan {
  return deepFreeze({ plan_id: 'p1', intent: 'test', steps, decision_checkpoints: [], ...more });
}

/** Verifies a plan over tools that have these names and accept anything. */
export function verifySteps(
  steps: readonly PlanStep[],
  specs: readonly ToolSpec[],
  more: Partial<VerifyContext> = {},
): PlanVerification {
  return verifyPlan(planOf(steps), context({ specs, catalog: new Map(), ...more }), 2);
}

/** The code and the path of each problem, for comparison in tests. */
export function problemLines({ problems }: { readonly problems: readonly Problem[] }): readonly string[] {
  return problems.map(({ code, path }) => `${code} ${path}`);
}
