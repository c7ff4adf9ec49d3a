import type { EventOf, EventType, RunEvent } from '../events/event.ts';
import type { JsonObject } from '../json/json.ts';
import type { RunLabel } from '../record/run-label.ts';
import type { DecisionProof } from './gate.ts';
import type { StandingGrant } from './grant.ts';
import type { KillSwitch } from './kill-switch.ts';
import { type RunDecisionKind, signingText } from './signing-text.ts';

/** A decision of a person as a record holds it, with the text that its signature must cover. */
export interface RecordedDecision {
  /** The person whom the record names. */
  readonly by: string;
  readonly at: number;
  /** The tenant that the decision is about; null if it is about every tenant. */
  readonly tenantId: string | null;
  readonly proof: DecisionProof | undefined;
  readonly text: (keyId: string, signedAt: number) => string;
}

/** A decision in the events of a run, with the event that records it. */
export interface RunDecision extends RecordedDecision {
  readonly event: RunEvent;
}

/** The run that an event belongs to. A fork holds the decisions of its parent, which name the parent. */
interface EventRun {
  readonly runId: string;
  readonly tenantId: string;
}

type DecisionReader<T extends EventType> = (event: EventOf<T>, run: EventRun) => RecordedDecision | null;

/** The fields of a migration that this process adds to what the person signs. */
const ADDED_TO_MIGRATION: ReadonlySet<string> = new Set([
  'memory_snapshot',
  'evidence',
  'fresh_until',
  'context',
  'quarantined',
  'untrusted_context',
]);

const NOT_SIGNED: ReadonlySet<string> = new Set(['type', 'at', 'by', 'proof']);

const runDecision =
  <T extends RunDecisionKind>(added?: ReadonlySet<string>): DecisionReader<T> =>
  (event, { runId: run_id, tenantId }) => {
    const { by, at, proof, type } = event;
    const fields = Object.entries(event).filter(([name]) => !NOT_SIGNED.has(name) && added?.has(name) !== true);
    const content = Object.fromEntries(fields) as JsonObject;
    const text: RecordedDecision['text'] = (key_id, signed_at) =>
      signingText.runDecision({ run_id, decision: type as RunDecisionKind, said: content, key_id, signed_at });
    return { by, at, tenantId, proof, text };
  };

/** The events that record a decision of a person. */
const READERS: { readonly [T in EventType]?: DecisionReader<T> } = {
  gate_decided: (event, run) => {
    const { gate_id, packet_hash, decision, approver: by, reason, parameters = null, asks, gates, proof, at } = event;
    const about = { gate_id, packet_hash, decision, reason, parameters };
    const signed = { ...about, ...(asks === undefined ? {} : { asks }), ...(gates === undefined ? {} : { gates }) };
    const text: RecordedDecision['text'] = (key_id, signed_at) =>
      signingText.decision({ ...signed, key_id, signed_at });
    return { by, at, tenantId: run.tenantId, proof, text };
  },
  info_provided: ({ gate_id, packet_hash, by, text: answer = null, evidence = [], proof, at }, { tenantId }) => {
    const text: RecordedDecision['text'] = (key_id, signed_at) =>
      signingText.info({ gate_id, packet_hash, text: answer, evidence, key_id, signed_at });
    return { by, at, tenantId, proof, text };
  },
  run_forked: ({ simulate, parent, by, reason, proof, at }, { tenantId }) => {
    // A simulation permits nothing, so no person decides on it.
    if (simulate) return null;
    const { run_id, checkpoint_id } = parent;
    const text: RecordedDecision['text'] = (key_id, signed_at) =>
      signingText.fork({ run_id, at: checkpoint_id, reason, key_id, signed_at });
    return { by, at, tenantId, proof, text };
  },
  // The grant must be of this run's tenant.
  step_cleared: ({ standing }, { tenantId }) =>
    standing === undefined ? null : { ...grantDecision(standing), tenantId },
  escalation_decided: runDecision(),
  budget_extended: runDecision(),
  run_resumed: runDecision(),
  run_steered: runDecision(),
  run_taken_over: runDecision(),
  run_migrated: runDecision(ADDED_TO_MIGRATION),
  run_paused: (event, run) => (event.cause === 'operator' ? runDecision<'run_paused'>()(event, run) : null),
  // A requester ends the own run, and a run its lanes, without a proof.
  run_cancelled: (event, run) => (event.proof === undefined ? null : runDecision<'run_cancelled'>()(event, run)),
};

/** Returns the decisions of people in the events of a run, in order. */
export function decisionsOf(events: Iterable<RunEvent>): readonly RunDecision[] {
  let run: EventRun = { runId: '', tenantId: '' };
  const found: RunDecision[] = [];
  for (const event of events) {
    if (event.type === 'goal_received') run = { runId: event.run_id, tenantId: event.tenant_id };
    const read = READERS[event.type] as DecisionReader<EventType> | undefined;
    const decision = read?.(event, run) ?? null;
    if (decision !== null) found.push({ ...decision, event });
    if (event.type === 'run_forked') run = { ...run, runId: event.run_id };
  }
  return found;
}

/** The decision that a standing grant records. */
export function grantDecision(grant: StandingGrant): RecordedDecision {
  const { kind: _, approver: by, granted_at: at, proof, ...terms } = grant;
  const { tenant_id: tenantId } = terms;
  return { by, at, tenantId, proof, text: (key_id, signed_at) => signingText.grant({ ...terms, key_id, signed_at }) };
}

/** The decision to label a run. */
export function labelDecision({ run_id, tenant_id, fields, by, reason, at, proof }: RunLabel): RecordedDecision {
  const text: RecordedDecision['text'] = (key_id, signed_at) =>
    signingText.label({ run_id, fields, reason, key_id, signed_at });
  return { by, at, tenantId: tenant_id, proof, text };
}

/** The decision that lifted a kill switch; null for an active switch. */
export function liftDecision({ switch_id, scope, lifted }: KillSwitch): RecordedDecision | null {
  if (lifted === null) return null;
  const { by, at, reason, proof } = lifted;
  const text: RecordedDecision['text'] = (key_id, signed_at) =>
    signingText.lift({ switch_id, reason, key_id, signed_at });
  return { by, at, tenantId: scope.tenant ?? null, proof, text };
}
