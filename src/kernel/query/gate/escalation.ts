import { Fault } from '../../../model/fault/fault.ts';
import type { Stop } from '../../../model/fault/terminal-code.ts';
import {
  ENDPOINTS,
  type Endpoint,
  ESCALATION_MATRIX,
  type EscalationEvent,
  type EscalationRow,
  type EscalationTrigger,
  ROUTE_OF_CLASS,
  type Severity,
  type TriggerClass,
} from '../../../model/gate/escalation.ts';
import { remaining } from '../../budget/view.ts';
import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';
import { gateDetail } from './gate-parts.ts';

/** An unknown trigger counts as the most severe one. */
const UNKNOWN: EscalationTrigger = 'security_breach';

function knownTrigger(trigger: string): EscalationTrigger {
  return Object.hasOwn(ESCALATION_MATRIX, trigger) ? (trigger as EscalationTrigger) : UNKNOWN;
}

/** The facts of an escalation. */
export interface EscalationFacts {
  readonly escalation_id: string;
  readonly step_id: string | null;
  readonly reason: string;
  /** Ids that the recipient has to inspect: evidence, denied calls, both sides of a conflict. */
  readonly refs: readonly string[];
  /** Uses the upper end of the row's severity. */
  readonly severe: boolean;
  /** The escalation paths of the run's boundary. */
  readonly paths: readonly Endpoint[];
}

/** Creates an escalation event. It always has a recipient. */
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

/** The recipient of an approval request for an action of this kind. */
export function recipientFor(trigger: EscalationTrigger, paths: readonly Endpoint[]): Endpoint {
  const row = ESCALATION_MATRIX[trigger];
  return recipientOf(row, row.severity.least, paths);
}

/**
 * The recipient: the row's first endpoint that the boundary names; else the paged endpoint, if the boundary names it;
 * else the boundary's first endpoint. A safety escalation always reaches the row's own endpoint.
 */
function recipientOf(row: EscalationRow, severity: Severity, paths: readonly Endpoint[]): Endpoint {
  const named = row.endpoints.find((endpoint) => paths.includes(endpoint));
  if (named !== undefined) return named;
  if (row.trigger_class === 'safety') return row.endpoints[0];
  const paged = pagerTarget(row.trigger_class, severity);
  const recipient = paths.includes(paged) ? paged : paths[0];
  if (recipient === undefined)
    throw new Fault('escalation_invalid', 'the boundary names no endpoint that can take over');
  return recipient;
}

export function pagerTarget(triggerClass: TriggerClass, severity: Severity): Endpoint {
  if (triggerClass === 'safety') return 'security';
  if (triggerClass === 'outage' && severity !== 'low') return 'sre';
  if (triggerClass === 'uncertainty' && severity === 'high') return 'compliance';
  return 'workflow_owner';
}

/** Rejects an escalation from a journal or an import that has no valid recipient. */
export function assertRecipient(event: EscalationEvent): void {
  if (ENDPOINTS.includes(event.recipient)) return;
  throw new Fault('escalation_invalid', `escalation ${event.escalation_id} does not say who decides next`);
}

/**
 * Whether the specialist model may replan after low confidence: once per run, if one is configured, the boundary names
 * it, and a replan is left.
 */
export function canSpecialistTakeOver(env: KernelEnv, state: RunState): boolean {
  if (env.specialist !== true || state.planning.specialist !== 'unused' || state.budget === null) return false;
  if (state.ending.stops.length > 0 || env.graph.idOf('repair') === null) return false;
  return pathsOf(state).includes('specialist_model') && remaining(state.budget).replan_attempts >= 1;
}

const pathsOf = ({ manifest }: RunState): readonly Endpoint[] => manifest?.autonomy_boundary.escalation_paths ?? [];

/** The endpoints that the run may escalate to. The specialist model is left out unless it can take over now. */
export function openPaths(env: KernelEnv, state: RunState, trigger: string): readonly Endpoint[] {
  const named = pathsOf(state);
  if (!named.includes('specialist_model') || (trigger === 'low_confidence' && canSpecialistTakeOver(env, state)))
    return named;
  const people = named.filter((path) => path !== 'specialist_model');
  return people.length === 0 ? named : people;
}

/** The stop of a waiting run if its question, escalation or gate is never answered. Null if the run waits for none. */
export function stopIfUnanswered(state: RunState): Stop | null {
  const { people } = state;
  const { question, escalation, gates } = people;
  if (question !== null) {
    const { code, fields, readings } = question;
    return { code, reason: 'question_open', detail: { fields, readings } };
  }
  if (escalation !== null) return escalation.stop;
  const [gate] = gates;
  if (gate === undefined) return lanesUnanswered(state);
  return { code: 'CONFIRM_REQUIRED', reason: 'gate_open', detail: gateDetail(gate) };
}

/** A run whose lanes wait for people waits with them. */
function lanesUnanswered({ lanes }: RunState): Stop | null {
  const waiting = lanes?.filter(({ waits }) => waits !== null) ?? [];
  if (waiting.length === 0) return null;
  const detail = { lanes: waiting.map(({ laneContext }) => laneContext.lane_id) };
  return { code: 'CONFIRM_REQUIRED', reason: 'lane_waits', detail };
}
