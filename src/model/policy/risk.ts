import { z } from 'zod';
import type { BoundaryCondition } from './condition.ts';

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

/** The autonomy of agents for one kind of work. An action in neither list is not allowed. */
export interface RiskProfile {
  readonly autonomy: string;
  /** Kinds of action that need no approval. */
  readonly free: readonly string[];
  /** Kinds of action that need approval. */
  readonly needs_approval: readonly string[];
  /** Conditions that deny a call. They take precedence over approvals, so no approval is requested. */
  readonly fails_closed: readonly BoundaryCondition[];
}

const INTERVENTIONS = ['restart', 'traffic_shift', 'config_change', 'data_migration', 'production_rollback'] as const;

export const RISK_PROFILES: Readonly<Record<RiskProfileName, RiskProfile>> = {
  research: {
    autonomy: 'high, read-only',
    free: ['browse_approved_source', 'retrieve_document', 'summarize', 'compare', 'cite', 'ask_clarification'],
    needs_approval: ['persistent_memory_write', 'sensitive_source_expansion', 'paid_external_lookup'],
    fails_closed: [
      {
        condition: 'unauthorized_data_access',
        meaning: 'the user may not read the source',
        governs: ['sensitive_source_expansion'],
        proof: 'true',
        field: 'access_authorized',
      },
      {
        condition: 'ungrounded_claim_as_verified',
        meaning: 'a claim without a source counts as verified',
        governs: ['persistent_memory_write'],
        proof: 'false',
        field: 'ungrounded_claim',
      },
      {
        condition: 'source_policy_conflict',
        meaning: 'the policy of the source forbids this use',
        governs: ['sensitive_source_expansion'],
        proof: 'false',
        field: 'source_policy_conflict',
      },
    ],
  },
  coding: {
    autonomy: 'bounded to the workspace',
    free: ['read_file', 'propose_patch', 'run_sandbox_test', 'write_permitted_draft'],
    needs_approval: ['push', 'deploy', 'credential_change', 'destructive_file_operation', 'production_migration'],
    fails_closed: [
      {
        condition: 'secret_exposure',
        meaning: 'the change exposes a secret',
        governs: ['credential_change'],
        proof: 'false',
        field: 'secret_exposed',
      },
      {
        condition: 'tests_failing_after_mutation',
        meaning: 'the tests fail after the change',
        governs: ['push', 'deploy', 'production_migration'],
        proof: 'true',
        field: 'tests_passed',
      },
      {
        condition: 'unauthorized_repository',
        meaning: 'the repository is not one that the user may change',
        governs: ['push'],
        proof: 'true',
        field: 'repository_authorized',
      },
      {
        condition: 'production_impact',
        meaning: 'the command affects production',
        governs: ['destructive_file_operation'],
        proof: 'false',
        field: 'production_impact',
      },
    ],
  },
  customer_support: {
    autonomy: 'bounded actions',
    free: ['search_documentation', 'draft_reply', 'classify_issue', 'summarize_account'],
    needs_approval: ['refund', 'cancellation', 'account_change', 'legal_commitment', 'send_communication'],
    fails_closed: [
      {
        condition: 'identity_mismatch',
        meaning: 'the account belongs to another person than the user of the run',
        governs: ['refund', 'cancellation', 'account_change'],
        proof: 'requester',
        field: 'account_holder',
      },
      {
        condition: 'payment_change',
        meaning: 'the call changes how the customer pays or is paid',
        governs: ['account_change'],
        proof: 'false',
        field: 'payment_change',
      },
      {
        condition: 'policy_exception',
        meaning: 'the case is an exception to the policy',
        governs: ['legal_commitment'],
        proof: 'false',
        field: 'policy_exception',
      },
      {
        condition: 'regulated_category',
        meaning: 'the case belongs to a regulated category',
        governs: ['legal_commitment'],
        proof: 'false',
        field: 'regulated_category',
      },
    ],
  },
  procurement: {
    autonomy: 'low mutation',
    free: ['compare_vendors', 'extract_terms', 'flag_risk', 'prepare_recommendation'],
    needs_approval: ['purchase_order', 'invoice_release', 'contract_change', 'vendor_onboarding', 'payment'],
    fails_closed: [
      {
        condition: 'budget_breach',
        meaning: 'the amount of the call exceeds the budget limit',
        governs: ['purchase_order', 'invoice_release', 'payment'],
        proof: 'limit',
        field: 'budget_limit',
      },
      {
        condition: 'missing_approval_chain',
        meaning: 'the approval chain is incomplete',
        governs: ['purchase_order', 'invoice_release', 'contract_change', 'vendor_onboarding', 'payment'],
        proof: 'list',
        field: 'approval_chain',
      },
      {
        condition: 'vendor_risk_conflict',
        meaning: 'the risk of the vendor is in conflict with the order',
        governs: ['vendor_onboarding'],
        proof: 'false',
        field: 'vendor_risk_conflict',
      },
      {
        condition: 'contract_ambiguity',
        meaning: 'the contract is ambiguous',
        governs: ['contract_change'],
        proof: 'false',
        field: 'contract_ambiguity',
      },
    ],
  },
  incident_sre: {
    autonomy: 'high diagnosis, low mutation',
    free: ['query_logs', 'inspect_metrics', 'compare_deploys', 'draft_runbook', 'recommend_rollback'],
    needs_approval: INTERVENTIONS,
    fails_closed: [
      {
        condition: 'security_incident',
        meaning: 'the incident is a security incident',
        governs: ['config_change', 'data_migration'],
        proof: 'false',
        field: 'security_incident',
      },
      {
        condition: 'destructive_action',
        meaning: 'the tool is destructive and declares no `risk.rollback`',
        governs: INTERVENTIONS,
        proof: 'rollback',
      },
      {
        condition: 'blast_radius_unknown',
        meaning: 'the tool declares no `risk.blastRadius`',
        governs: INTERVENTIONS,
        proof: 'blast_radius',
        field: 'blast_radius',
      },
      {
        condition: 'operator_approval_missing',
        meaning: 'the call needs no approval of an operator',
        governs: INTERVENTIONS,
        proof: 'gate',
      },
    ],
  },
};
