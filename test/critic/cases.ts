import type { ApprovalEntry } from '../../src/model/critic/decision-record.ts';
import type { RunCase, StepCase, StepEvidence, StepSupport } from '../../src/model/critic/judged-case.ts';
import { deepFreeze } from '../../src/model/json/freeze.ts';
import { NO_COST, type ToolSpec } from '../../src/model/tool/tool.ts';
import { spec } from '../kernel/verify/fixtures.ts';

/** A lookup without side effects. */
export const lookup: ToolSpec = deepFreeze(
  spec('adp_orders.lookup', { version: '1', description: 'Looks an order up', input_schema: {}, produces: ['order'] }),
);

/** A payment that needs the approval of the finance lead. */
export const refund: ToolSpec = deepFreeze({
  ...lookup,
  name: 'adp_payments.issue_refund',
  approval_mode: 'destructive',
  category: 'payment',
  side_effect: true,
  gates: ['GATE_FINANCE_APPROVAL'],
  produces: ['refund'],
  idempotency: { kind: 'key', retention_ms: 86_400_000 },
});

export function approval(over: Partial<ApprovalEntry> = {}): ApprovalEntry {
  return {
    gate: 'GATE_FINANCE_APPROVAL',
    step_id: 's3',
    approver: 'user_finance_lead',
    decision: 'approve',
    packet_hash: 'sha256:00',
    decided_at: 1_777_889_640_000,
    ...over,
  };
}

/** A successful lookup: every evaluator gives it the full score. */
export function stepCase(
  over: Partial<Omit<StepCase, 'support'>> = {},
  support: Partial<Omit<StepSupport, 'evidence'>> = {},
  evidence: Partial<StepEvidence> = {},
): StepCase {
  return deepFreeze({
    step: { id: 's1', tool: 'adp_orders.lookup', params: { order_id: 'ord_881' } },
    tool: lookup,
    args: { order_id: 'ord_881' },
    outcome: 'ok',
    output: { order_id: 'ord_881', total_cents: 4_200 },
    problems: [],
    ...over,
    support: {
      approvals: [],
      policy: { permitted: true, reason: 'no rule forbids it' },
      assumptions: [],
      criteria: [],
      facts: [],
      spending: { spent: NO_COST, projected: NO_COST },
      ...support,
      evidence: {
        known: { order: 'ev_1' },
        needed: [],
        expected: ['order'],
        supplied: ['order'],
        unresolved: [],
        ...evidence,
      },
    },
  });
}

/** The refund, approved by the finance lead. */
export function refundCase(
  over: Partial<Omit<StepCase, 'support'>> = {},
  support: Partial<Omit<StepSupport, 'evidence'>> = {},
): StepCase {
  return stepCase(
    {
      step: {
        id: 's3',
        tool: 'adp_payments.issue_refund',
        depends_on: ['s2'],
        approval_mode: 'destructive',
        requires: ['GATE_FINANCE_APPROVAL'],
      },
      tool: refund,
      output: { refund_id: 're_1', amount_cents: 4_200 },
      ...over,
    },
    { approvals: [approval()], ...support },
    {
      known: { order: 'ev_1', policy: 'ev_2', refund: 'ev_3' },
      needed: ['order', 'policy'],
      expected: ['refund'],
      supplied: ['refund'],
    },
  );
}

/** A finished run that meets its only criterion. */
export function runCase(over: Partial<RunCase> = {}): RunCase {
  return deepFreeze({
    risk: 'low',
    criteria: [{ id: 'refunded', statement: 'The order is refunded', rank: 'primary', evidence: 'refund' }],
    evidence: { order: 'ev_1', policy: 'ev_2', refund: 'ev_3' },
    steps: [{ step_id: 's1', scores: { policy: 1, utility: 1 } }],
    facts: [],
    claims: [],
    observations: new Set(['ev_1', 'ev_2', 'ev_3']),
    ...over,
  });
}
