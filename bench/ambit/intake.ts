import type { Effect } from '../../src/model/events/effect.ts';
import type { EventBody } from '../../src/model/events/event.ts';
import type { SecurityToken } from '../../src/model/run/identity.ts';
import { MANIFEST } from './manifest.ts';
import { POST_ENTRY } from './tool.ts';

const IDENTITY = { actor: 'bookkeeper', tenant_id: 'acme', roles: [], expires_at: Number.MAX_SAFE_INTEGER };

const TOKEN: SecurityToken = {
  ...IDENTITY,
  data_scopes: ['ledger'],
  allowed_tools: [POST_ENTRY.name],
  approval_authority: 'local_write',
};

export const GOAL: EventBody = {
  type: 'goal_received',
  run_id: 'run-1',
  trace_id: 'trace-1',
  tenant_id: 'acme',
  goal: {
    goal_id: 'goal-1',
    statement: 'Post the entries',
    intent: 'post_entries',
    acceptance_criteria: [{ id: 'posted', statement: 'All are posted', rank: 'primary', evidence: 'ledger_entry' }],
  },
  inputs: {},
  identity: { ...IDENTITY, scopes: ['ledger'] },
  expires_at: Number.MAX_SAFE_INTEGER,
  heartbeat_ms: null,
};

/** Scripted answers to the effects of the intake; null for other effects. */
export function admit(effect: Effect): EventBody | null {
  switch (effect.kind) {
    case 'classify_intent':
      return {
        type: 'intent_classified',
        intent: 'post_entries',
        task_class: 'bookkeeping',
        risk: 'moderate',
        modality: 'text',
        capability: 'ledger',
        confidence: 1,
        candidates: [],
      };
    case 'resolve_scope':
      return { type: 'scope_resolved', token: TOKEN, reason: null };
    case 'check_policy':
      return { type: 'policy_checked', cleared: true, rule: null };
    case 'init_run':
      return { type: 'run_initialized', manifest: MANIFEST, caps: MANIFEST.budget_caps, evidence: {} };
    default:
      return null;
  }
}
