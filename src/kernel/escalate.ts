import {
  ENDPOINTS,
  type Endpoint,
  type EscalationEvent,
  type EscalationRoute,
  type EscalationTrigger,
  ROUTE_OF_CLASS,
  type Severity,
  type TriggerClass,
} from '../model/escalation.ts';
import { ESCALATION_MATRIX, type EscalationRow } from '../model/escalation-matrix.ts';
import { Fault } from '../model/fault.ts';
import type { Stop } from '../model/stop.ts';
import type { TerminalCode } from '../model/terminal-code.ts';

/** A trigger nobody has a rule for is treated as the worst one there is. */
const UNKNOWN: EscalationTrigger = 'security_breach';

function knownTrigger(trigger: string): EscalationTrigger {
  return Object.hasOwn(ESCALATION_MATRIX, trigger) ? (trigger as EscalationTrigger) : UNKNOWN;
}

export function routeOf(trigger: string): EscalationRoute {
  return ROUTE_OF_CLASS[ESCALATION_MATRIX[knownTrigger(trigger)].trigger_class];
}

/** What the run knows about the situation it hands over. */
export interface EscalationFacts {
  readonly escalation_id: string;
  readonly step_id: string | null;
  readonly reason: string;
  /** What the recipient has to look at: evidence, denied calls, both sides of a conflict. */
  readonly refs: readonly string[];
  /** Whether this case is at the upper end of what its row allows for. */
  readonly severe: boolean;
  /** The escalation paths of the boundary that authorised the run. */
  readonly paths: readonly Endpoint[];
}

/** The record of a handover. It always says who decides next; otherwise there is none. */
export function escalation(trigger: string, facts: EscalationFacts): EscalationEvent {
  const known = knownTrigger(trigger);
  const row = ESCALATION_MATRIX[known];
  const severity = facts.severe ? row.severity.most : row.severity.least;
  const { escalation_id, step_id, refs } = facts;
  return {
    escalation_id,
    trigger: known,
    trigger_class: row.trigger_class,
    route: ROUTE_OF_CLASS[row.trigger_class],
    severity,
    recipient: recipientOf(row, severity, facts.paths),
    step_id,
    reason: known === trigger ? facts.reason : `unknown trigger: ${facts.reason}`,
    refs,
  };
}

/**
 * The first of the row's endpoints that the boundary lets the run turn to; if it names none of them, whoever is paged
 * for such a case; and if not them either, the first one it does name. No boundary can keep a breach from security.
 */
function recipientOf(row: EscalationRow, severity: Severity, paths: readonly Endpoint[]): Endpoint {
  const named = row.endpoints.find((endpoint) => paths.includes(endpoint));
  if (named !== undefined) return named;
  if (row.trigger_class === 'safety') return row.endpoints[0];
  const paged = pagerTarget(row.trigger_class, severity);
  const recipient = paths.includes(paged) ? paged : paths[0];
  if (recipient === undefined) throw new Fault('escalation_invalid', 'the boundary names nobody who can take over');
  return recipient;
}

/** Who is woken up, by class and severity. */
export function pagerTarget(triggerClass: TriggerClass, severity: Severity): Endpoint {
  if (triggerClass === 'safety') return 'security';
  if (triggerClass === 'outage' && severity !== 'low') return 'sre';
  if (triggerClass === 'uncertainty' && severity === 'high') return 'compliance';
  return 'workflow_owner';
}

/** An escalation from a journal or a stranger is held to the same rule as one made here. */
export function assertRecipient(event: EscalationEvent): void {
  if (ENDPOINTS.includes(event.recipient)) return;
  throw new Fault('escalation_invalid', `escalation ${event.escalation_id} does not say who decides next`);
}

/** What the run ends with when the handover leads nowhere. */
const CODE_OF: Readonly<Record<EscalationTrigger, TerminalCode>> = {
  high_impact_mutation: 'CONFIRM_REQUIRED',
  financial_commitment: 'CONFIRM_REQUIRED',
  external_communication: 'CONFIRM_REQUIRED',
  missing_input: 'MISSING_INFO',
  ambiguous_goal: 'AMBIGUOUS_INTENT',
  low_confidence: 'LOW_CONFIDENCE',
  tool_failure: 'UNAVAILABLE_DEP',
  budget_limit: 'BUDGET_EXHAUSTED',
  provider_outage: 'UNAVAILABLE_DEP',
  security_breach: 'UNSAFE_DETECTION',
  repeated_denial: 'PERMISSION_DENIED',
  permission_denied: 'PERMISSION_DENIED',
  validation_failed: 'VALIDATION_FAIL',
  source_conflict: 'SOURCE_CONFLICT',
  plan_divergence: 'REVIEW_REQUIRED',
  repeated_failure: 'REPEATED_FAILURE',
  call_in_doubt: 'REVIEW_REQUIRED',
  regulated_review: 'REVIEW_REQUIRED',
  workflow_issue: 'REVIEW_REQUIRED',
};

/** How a wait for somebody else ends the run: nobody answered in time, or the answer was no. */
export function endOfWait(trigger: string, how: 'expired' | 'refused'): Stop {
  const code = CODE_OF[knownTrigger(trigger)];
  const asked = code === 'CONFIRM_REQUIRED';
  if (how === 'expired') return { code, reason: asked ? 'gate_expired' : 'wait_expired' };
  return asked ? { code: 'PERMISSION_DENIED', reason: 'approval_rejected' } : { code, reason: 'handover_refused' };
}
