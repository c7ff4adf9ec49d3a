import type { Endpoint, EscalationTrigger, Severity, TriggerClass } from './escalation.ts';

/** What a trigger brings with it: how bad, which class, who may receive authority, what the system does meanwhile. */
export interface EscalationRow {
  readonly trigger_class: TriggerClass;
  readonly severity: { readonly least: Severity; readonly most: Severity };
  /** In the order in which they are tried; the boundary of a run may narrow them and never widens them. */
  readonly endpoints: readonly [Endpoint, ...Endpoint[]];
  readonly recovery: string;
}

// biome-ignore format: a table is read by its columns, one row a line
export const ESCALATION_MATRIX: Readonly<Record<EscalationTrigger, EscalationRow>> = {
  high_impact_mutation: { trigger_class: 'privileged_mutation', severity: { least: 'high', most: 'high' }, endpoints: ['user', 'operator'], recovery: 'Suspend and show action, parameters, blast radius and rollback path.' },
  financial_commitment: { trigger_class: 'privileged_mutation', severity: { least: 'high', most: 'high' }, endpoints: ['manager', 'procurement_queue'], recovery: 'Freeze the action until the budget and the chain of approval are confirmed.' },
  external_communication: { trigger_class: 'privileged_mutation', severity: { least: 'moderate', most: 'high' }, endpoints: ['user'], recovery: 'Keep a draft; send nothing before an explicit approval.' },
  missing_input: { trigger_class: 'missing_information', severity: { least: 'low', most: 'low' }, endpoints: ['user'], recovery: 'Pause and ask for the missing field by name.' },
  ambiguous_goal: { trigger_class: 'missing_information', severity: { least: 'low', most: 'moderate' }, endpoints: ['user', 'supervisor'], recovery: 'List the possible readings and wait for a choice.' },
  low_confidence: { trigger_class: 'uncertainty', severity: { least: 'moderate', most: 'moderate' }, endpoints: ['specialist_model', 'review_queue'], recovery: 'Hand the state to a stronger verifier or a reviewer; go on only once it is validated.' },
  tool_failure: { trigger_class: 'outage', severity: { least: 'moderate', most: 'moderate' }, endpoints: ['repair', 'dependency_fallback'], recovery: 'Retry within budget, use an equivalent tool, or report a degraded status.' },
  budget_limit: { trigger_class: 'privileged_mutation', severity: { least: 'moderate', most: 'high' }, endpoints: ['budget_queue'], recovery: 'Freeze the run until somebody releases more budget by name.' },
  provider_outage: { trigger_class: 'outage', severity: { least: 'moderate', most: 'high' }, endpoints: ['sre', 'degraded_mode_controller'], recovery: 'Read from a backup, change provider, answer from a safe cache, or report that nothing is available.' },
  security_breach: { trigger_class: 'safety', severity: { least: 'high', most: 'high' }, endpoints: ['security'], recovery: 'Stop the run and keep its trace; revoke credentials only when the compromise is confirmed.' },
  repeated_denial: { trigger_class: 'safety', severity: { least: 'moderate', most: 'high' }, endpoints: ['security', 'compliance'], recovery: 'Block further privileged attempts and inspect the trace for injection or abuse.' },
  // Beyond the matrix of the texts
  permission_denied: { trigger_class: 'safety', severity: { least: 'moderate', most: 'high' }, endpoints: ['operator', 'security'], recovery: 'Block the action; go on only by a permitted alternative.' },
  validation_failed: { trigger_class: 'uncertainty', severity: { least: 'moderate', most: 'high' }, endpoints: ['review_queue', 'operator'], recovery: 'Stop after the permitted repairs and hand over plan, transcripts and verdict.' },
  source_conflict: { trigger_class: 'uncertainty', severity: { least: 'moderate', most: 'high' }, endpoints: ['review_queue', 'specialist_model'], recovery: 'Freeze the disputed claim and keep the evidence of both sides.' },
  plan_divergence: { trigger_class: 'uncertainty', severity: { least: 'moderate', most: 'high' }, endpoints: ['user', 'supervisor'], recovery: 'Stop and show how the plan left its goal.' },
  repeated_failure: { trigger_class: 'outage', severity: { least: 'moderate', most: 'high' }, endpoints: ['operator', 'sre'], recovery: 'Open the breaker and hand over what failed and how often.' },
  call_in_doubt: { trigger_class: 'uncertainty', severity: { least: 'high', most: 'high' }, endpoints: ['operator'], recovery: 'Start no equal call; a person says what became of this one.' },
  regulated_review: { trigger_class: 'uncertainty', severity: { least: 'moderate', most: 'high' }, endpoints: ['compliance'], recovery: 'Release nothing before the reviewer has decided.' },
  workflow_issue: { trigger_class: 'uncertainty', severity: { least: 'low', most: 'moderate' }, endpoints: ['workflow_owner'], recovery: 'Pause and tell the owner of the workflow.' },
};
