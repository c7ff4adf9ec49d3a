import type { EffectRow, GateRow, GrantUse } from '../../../ports/journal-rows.ts';

export function gateRow(row: Pick<GateRow, 'gate_id' | 'session_id'> & Partial<GateRow>): GateRow {
  return {
    tenant_id: 'tenant_a',
    name: 'GATE_FINANCE_APPROVAL',
    kind: 'action',
    action: 'payments.issue_refund',
    status: 'open',
    packet_hash: 'sha256:00',
    opened_at: 1_000,
    expires_at: 9_000,
    ...row,
  };
}

export function effectRow(row: Pick<EffectRow, 'idempotency_key' | 'session_id'> & Partial<EffectRow>): EffectRow {
  return {
    step_id: 's1',
    tool: 'payments.issue_refund',
    args_hash: 'sha256:00',
    state: 'pending',
    result: null,
    ...row,
  };
}

export function grantUse(row: Pick<GrantUse, 'grant_id' | 'session_id'> & Partial<GrantUse>): GrantUse {
  return { step_id: 's1', used_at: 1_000, ...row };
}
