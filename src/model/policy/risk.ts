import { z } from 'zod';

/** Risk classes in ascending order. A higher class never gets less verification and evaluation. */
export const RISK_CLASSES = ['low', 'moderate', 'high', 'critical'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];
export const RiskClass: z.ZodType<RiskClass> = z.enum(RISK_CLASSES);

export function atLeast(risk: RiskClass, floor: RiskClass): boolean {
  return RISK_CLASSES.indexOf(risk) >= RISK_CLASSES.indexOf(floor);
}

export const RISK_PROFILE_NAMES = ['research', 'coding', 'customer_support', 'procurement', 'incident_sre'] as const;
export type RiskProfileName = (typeof RISK_PROFILE_NAMES)[number];
export const RiskProfileName: z.ZodType<RiskProfileName> = z.enum(RISK_PROFILE_NAMES);

/** The autonomy of agents for one kind of work. An action in none of the three lists is not allowed. */
export interface RiskProfile {
  readonly autonomy: string;
  /** Kinds of action that need no approval. */
  readonly free: readonly string[];
  /** Kinds of action that need approval. */
  readonly needs_approval: readonly string[];
  /** Conditions that stop the run. They take precedence over approvals, so no approval is requested. */
  readonly fails_closed: readonly string[];
}

export const RISK_PROFILES: Readonly<Record<RiskProfileName, RiskProfile>> = {
  research: {
    autonomy: 'high, read-only',
    free: ['browse_approved_source', 'retrieve_document', 'summarize', 'compare', 'cite', 'ask_clarification'],
    needs_approval: ['persistent_memory_write', 'sensitive_source_expansion', 'paid_external_lookup'],
    fails_closed: ['unauthorized_data_access', 'ungrounded_claim_as_verified', 'source_policy_conflict'],
  },
  coding: {
    autonomy: 'bounded to the workspace',
    free: ['read_file', 'propose_patch', 'run_sandbox_test', 'write_permitted_draft'],
    needs_approval: ['push', 'deploy', 'credential_change', 'destructive_file_operation', 'production_migration'],
    fails_closed: ['secret_exposure', 'tests_failing_after_mutation', 'unauthorized_repository', 'production_impact'],
  },
  customer_support: {
    autonomy: 'bounded actions',
    free: ['search_documentation', 'draft_reply', 'classify_issue', 'summarize_account'],
    needs_approval: ['refund', 'cancellation', 'account_change', 'legal_commitment', 'send_communication'],
    fails_closed: ['identity_mismatch', 'payment_change', 'policy_exception', 'regulated_category'],
  },
  procurement: {
    autonomy: 'low mutation',
    free: ['compare_vendors', 'extract_terms', 'flag_risk', 'prepare_recommendation'],
    needs_approval: ['purchase_order', 'invoice_release', 'contract_change', 'vendor_onboarding', 'payment'],
    fails_closed: ['budget_breach', 'missing_approval_chain', 'vendor_risk_conflict', 'contract_ambiguity'],
  },
  incident_sre: {
    autonomy: 'high diagnosis, low mutation',
    free: ['query_logs', 'inspect_metrics', 'compare_deploys', 'draft_runbook', 'recommend_rollback'],
    needs_approval: ['restart', 'traffic_shift', 'config_change', 'data_migration', 'production_rollback'],
    fails_closed: ['security_incident', 'destructive_action', 'blast_radius_unknown', 'operator_approval_missing'],
  },
};
