import { z } from 'zod';
import { exact, exactObject } from '../json/exact.ts';
import { Name, Statement } from '../json/name.ts';

export const SEVERITIES = ['low', 'moderate', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];
export const Severity: z.ZodType<Severity> = z.enum(SEVERITIES);

/** The five trigger classes, each with one route. An unknown trigger is treated as `safety`. */
export const TRIGGER_CLASSES = [
  'safety',
  'privileged_mutation',
  'missing_information',
  'uncertainty',
  'outage',
] as const;
export type TriggerClass = (typeof TRIGGER_CLASSES)[number];
export const TriggerClass: z.ZodType<TriggerClass> = z.enum(TRIGGER_CLASSES);

export const ESCALATION_ROUTES = ['fail_closed', 'approval_gate', 'ask', 'review', 'degraded_mode'] as const;
export type EscalationRoute = (typeof ESCALATION_ROUTES)[number];
export const EscalationRoute: z.ZodType<EscalationRoute> = z.enum(ESCALATION_ROUTES);

export const ROUTE_OF_CLASS: Readonly<Record<TriggerClass, EscalationRoute>> = Object.freeze({
  safety: 'fail_closed',
  privileged_mutation: 'approval_gate',
  missing_information: 'ask',
  uncertainty: 'review',
  outage: 'degraded_mode',
});

/** All recipients of authority, people and systems. */
export const ENDPOINTS = [
  'user',
  'operator',
  'supervisor',
  'manager',
  'procurement_queue',
  'budget_queue',
  'review_queue',
  'specialist_model',
  'repair',
  'dependency_fallback',
  'degraded_mode_controller',
  'sre',
  'security',
  'compliance',
  'workflow_owner',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];
export const Endpoint: z.ZodType<Endpoint> = z.enum(ENDPOINTS);

/** The eleven failure and risk states of the specified escalation matrix. */
export const RISK_STATES = [
  'high_impact_mutation',
  'financial_commitment',
  'external_communication',
  'missing_input',
  'ambiguous_goal',
  'low_confidence',
  'tool_failure',
  'budget_limit',
  'provider_outage',
  'security_breach',
  'repeated_denial',
] as const;

/** Further triggers of a handover, each in one of the five classes. */
export const OTHER_TRIGGERS = [
  'permission_denied',
  'validation_failed',
  'source_conflict',
  'plan_divergence',
  'repeated_failure',
  'call_in_doubt',
  'regulated_review',
  'workflow_issue',
] as const;

export type EscalationTrigger = (typeof RISK_STATES)[number] | (typeof OTHER_TRIGGERS)[number];
export const EscalationTrigger: z.ZodType<EscalationTrigger> = exact(z.enum([...RISK_STATES, ...OTHER_TRIGGERS]));

/** A transfer of authority over a run. It is not a failure: it states who decides next, and why. */
export interface EscalationEvent {
  readonly escalation_id: string;
  readonly trigger: EscalationTrigger;
  readonly trigger_class: TriggerClass;
  readonly route: EscalationRoute;
  readonly severity: Severity;
  readonly recipient: Endpoint;
  readonly step_id: string | null;
  readonly reason: string;
  /** The material for the recipient: evidence, denied calls, both sides of a conflict. */
  readonly refs: readonly string[];
}
export const EscalationEvent: z.ZodType<EscalationEvent> = exactObject({
  escalation_id: Name,
  trigger: EscalationTrigger,
  trigger_class: TriggerClass,
  route: EscalationRoute,
  severity: Severity,
  recipient: Endpoint,
  step_id: Name.nullable(),
  reason: Statement,
  refs: z.array(Name),
});

/** The consequences of a trigger: severity, class, recipients, and the system's behaviour until the decision. */
export interface EscalationRow {
  readonly trigger_class: TriggerClass;
  readonly severity: { readonly least: Severity; readonly most: Severity };
  /** In the order in which they are tried. The boundary of a run can narrow them, never widen them. */
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
  // In addition to the specified matrix
  permission_denied: { trigger_class: 'safety', severity: { least: 'moderate', most: 'high' }, endpoints: ['operator', 'security'], recovery: 'Block the action; go on only by a permitted alternative.' },
  validation_failed: { trigger_class: 'uncertainty', severity: { least: 'moderate', most: 'high' }, endpoints: ['review_queue', 'operator'], recovery: 'Stop after the permitted repairs and hand over plan, transcripts and verdict.' },
  source_conflict: { trigger_class: 'uncertainty', severity: { least: 'moderate', most: 'high' }, endpoints: ['review_queue', 'specialist_model'], recovery: 'Freeze the disputed claim and keep the evidence of both sides.' },
  plan_divergence: { trigger_class: 'uncertainty', severity: { least: 'moderate', most: 'high' }, endpoints: ['user', 'supervisor'], recovery: 'Stop and show how the plan left its goal.' },
  repeated_failure: { trigger_class: 'outage', severity: { least: 'moderate', most: 'high' }, endpoints: ['operator', 'sre'], recovery: 'Open the breaker and hand over what failed and how often.' },
  call_in_doubt: { trigger_class: 'uncertainty', severity: { least: 'high', most: 'high' }, endpoints: ['operator'], recovery: 'Start no equal call; a person says what became of this one.' },
  regulated_review: { trigger_class: 'uncertainty', severity: { least: 'moderate', most: 'high' }, endpoints: ['compliance'], recovery: 'Release nothing before the reviewer has decided.' },
  workflow_issue: { trigger_class: 'uncertainty', severity: { least: 'low', most: 'moderate' }, endpoints: ['workflow_owner'], recovery: 'Pause and tell the owner of the workflow.' },
};
