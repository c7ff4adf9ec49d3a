import {
  ENDPOINTS,
  type Endpoint,
  type EscalationEvent,
  type EscalationTrigger,
  ROUTE_OF_CLASS,
  type Severity,
  type TriggerClass,
} from '../model/escalation.ts';
import { ESCALATION_MATRIX, type EscalationRow } from '../model/escalation-matrix.ts';
import { Fault } from '../model/fault.ts';

/** A trigger nobody has a rule for is treated as the worst one there is. */
const UNKNOWN: EscalationTrigger = 'security_breach';

function knownTrigger(trigger: string): EscalationTrigger {
  return Object.hasOwn(ESCALATION_MATRIX, trigger) ? (trigger as EscalationTrigger) : UNKNOWN;
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

/** Who is asked about an action of this kind, before anything has gone wrong. */
export function recipientFor(trigger: EscalationTrigger, paths: readonly Endpoint[]): Endpoint {
  const row = ESCALATION_MATRIX[trigger];
  return recipientOf(row, row.severity.least, paths);
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
