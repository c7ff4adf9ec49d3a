import { z } from 'zod';
import { Name, Statement } from './name.ts';

export const SEVERITIES = ['low', 'moderate', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];
export const Severity: z.ZodType<Severity> = z.enum(SEVERITIES);

/** The five kinds of trigger, each with its one way on. An unknown trigger is treated as `safety`. */
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

/** Everybody, and everything, that authority can be handed to. */
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

/** The eleven states of failure and risk that the escalation matrix of the texts names. */
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

/** What else hands a run over: each falls into one of the five classes and has a row of its own. */
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
export const EscalationTrigger: z.ZodType<EscalationTrigger> = z.enum([...RISK_STATES, ...OTHER_TRIGGERS]);

/** Authority leaves the run. Not a failure: it says who decides next, and why. */
export interface EscalationEvent {
  readonly escalation_id: string;
  readonly trigger: EscalationTrigger;
  readonly trigger_class: TriggerClass;
  readonly route: EscalationRoute;
  readonly severity: Severity;
  readonly recipient: Endpoint;
  readonly step_id: string | null;
  readonly reason: string;
  /** What the recipient has to look at: evidence, denied calls, both sides of a conflict. */
  readonly refs: readonly string[];
}
export const EscalationEvent: z.ZodType<EscalationEvent> = z.strictObject({
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
