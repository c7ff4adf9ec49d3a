import { nextWake } from '../kernel/on-time.ts';
import type { OpenGate } from '../kernel/people-state.ts';
import type { RunState } from '../kernel/state.ts';
import type { Turn } from '../kernel/turn.ts';
import { type Blob, toBlob } from '../model/blob.ts';
import { canonicalize } from '../model/canonical.ts';
import type { EventOf, RunEvent } from '../model/event.ts';
import type { Frame } from '../model/frame.ts';
import type { GateStatus } from '../model/gate.ts';
import type { Hash } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import type { CheckpointRow, EffectRow, GateRow, GrantUse, Projections, SessionRow } from '../ports/journal-rows.ts';
import type { StandingUse } from '../ports/standing-grants.ts';
import { workersOf } from './lanes/workers-of.ts';

/** The rows that a frame makes true, written by the same append. Each could be made again from the frames. */
export function project(
  before: RunState,
  turn: Turn,
  frame: Frame,
  { agent, settled }: { readonly agent: string; readonly settled: Blob | null },
): Projections {
  const { state } = turn;
  const attempt = firstAttempt(turn);
  const rows: Projections = {
    session: sessionRow(state, frame, agent),
    gates: gateRows(before, turn),
    effects: effectRows(before, turn, settled),
    grants: attempt === undefined ? [] : grantUses(before, state, attempt),
    intents: intentsOf(before, turn),
    checkpoints: checkpointRows(turn, frame),
  };
  const standing = attempt === undefined ? undefined : standingUse(turn, attempt);
  if (state.seat === undefined && standing === undefined) return rows;
  return {
    ...rows,
    ...(state.seat === undefined ? {} : { parent: state.seat.parent_run_id, workers: workersOf(state) }),
    ...(standing === undefined ? {} : { standing: [standing] }),
  };
}

const firstAttempt = ({ events }: Turn): EventOf<'step_attempted'> | undefined =>
  events.find((event): event is EventOf<'step_attempted'> => event.type === 'step_attempted');

function checkpointRows({ state, checkpoints }: Turn, { seq }: Frame): readonly CheckpointRow[] {
  const session_id = state.id.runId;
  return checkpoints.map(({ checkpointId, address }) => ({ checkpoint_id: checkpointId, session_id, seq, address }));
}

function sessionRow(state: RunState, frame: Frame, agent: string): SessionRow {
  return {
    session_id: state.id.runId,
    tenant_id: state.id.tenantId,
    agent,
    intent: state.intake.intent ?? state.intake.goal?.intent ?? 'unclassified',
    status: state.session.status,
    node: state.position.node,
    seq: frame.seq,
    head_hash: frame.hash,
    started_at: state.session.startedAt,
    updated_at: frame.at,
    wake_at: nextWake(state),
    terminal_code: state.ending.terminal?.code ?? null,
    last_seen: state.session.lastSeen,
  };
}

/** Gates that this turn opened or closed, whichever came last. */
function gateRows(before: RunState, { state, events }: Turn): readonly GateRow[] {
  if (state.people.gates === before.people.gates) return [];
  const open = state.people.gates.filter((gate) => !before.people.gates.includes(gate));
  const closed = before.people.gates.filter((gate) => !state.people.gates.includes(gate));
  if (open.length === 0 && closed.length === 0) return [];
  return [
    ...open.map((gate) => gateRow(state, gate, 'open')),
    ...closed.map((gate) => gateRow(state, gate, closingStatus(gate, events))),
  ];
}

function closingStatus(gate: OpenGate, events: readonly RunEvent[]): GateStatus {
  for (const event of events) {
    if (event.type !== 'gate_decided' || event.gate_id !== gate.gateId) continue;
    if (event.decision === 'reject') return 'rejected';
    if (event.decision === 'approve') return 'approved';
  }
  const expired = events.some((event) => event.type === 'run_terminated' && event.reason.endsWith('_expired'));
  return expired ? 'expired' : 'withdrawn';
}

function gateRow(state: RunState, gate: OpenGate, status: GateStatus): GateRow {
  return {
    gate_id: gate.gateId,
    session_id: state.id.runId,
    tenant_id: state.id.tenantId,
    name: gate.name,
    kind: gate.kind,
    action: gate.tools.at(-1) ?? gate.kind,
    status,
    packet_hash: gate.packetHash,
    opened_at: gate.openedAt,
    expires_at: gate.expiresAt,
  };
}

/**
 * What a call that changes something came to, once that is committed: whoever asks for the same under the same key gets
 * this again. Null where this turn settles nothing.
 */
export function settledResult({ current }: RunState, { events }: Turn, hash: Hash): Blob | null {
  // What lanes do is in the ledger under their own names.
  if (current?.call == null || current.mode === 'read_only' || current.seat !== undefined) return null;
  const { callId } = current.call;
  if (!events.some((event) => isSettled(event, callId))) return null;
  const said = lastAnswer(events, callId);
  return toBlob(canonicalize(said === undefined ? (current.observed?.raw ?? null) : said), hash);
}

/** Undefined where none of the events says what the call came to. */
function lastAnswer(events: readonly RunEvent[], callId: string): Json | undefined {
  let last: Json | undefined;
  for (const event of events) {
    const said = answerIn(event, callId);
    if (said !== undefined) last = said;
  }
  return last;
}

/** What an event says that a call came to, in the words of its tool, of a probe, or of whoever has found out. */
function answerIn(event: RunEvent, callId: string): Json | undefined {
  if (event.type === 'step_observed' || event.type === 'call_reconciled')
    return event.call_id === callId ? event.raw : undefined;
  return event.type === 'escalation_decided' ? event.happened?.result : undefined;
}

/** A call is done with when what it said is committed, or when it has taken back what it was to take back. */
function isSettled(event: RunEvent, callId: string): boolean {
  if (event.type === 'step_committed') return event.call_id === callId;
  if (event.type !== 'step_compensated') return false;
  return event.settled.compensated_by === callId && event.settled.outcome === 'rolled_back';
}

/** The ledger of calls that change something: pending from the intent on, settled once the result is committed. */
function effectRows(before: RunState, turn: Turn, settled: Blob | null): readonly EffectRow[] {
  const rows: EffectRow[] = [];
  if (settled !== null) pushEffect(rows, before, 'settled', settled.address);
  if (turn.outbox.some((effect) => effect.kind === 'call_tool')) pushEffect(rows, turn.state, 'pending', null);
  return rows;
}

function pushEffect(
  rows: EffectRow[],
  { id, current }: RunState,
  state: EffectRow['state'],
  result: EffectRow['result'],
): void {
  if (current?.call == null || current.mode === 'read_only') return;
  rows.push({
    idempotency_key: current.call.key,
    session_id: id.runId,
    step_id: current.stepId,
    tool: current.tool,
    args_hash: current.argsHash,
    state,
    result,
  });
}

/**
 * Whatever the frame sends out, reads and probes too: who stops a tool stops all of it. What a person would be asked
 * about is stopped as well, before they are.
 */
function intentsOf(before: RunState, { state, outbox }: Turn): readonly string[] {
  const tools: string[] = [];
  for (const effect of outbox) {
    if (effect.kind === 'call_tool') tools.push(effect.call.tool, ...effect.behind);
    else if (effect.kind === 'spawn_lane') tools.push(effect.call.tool);
    else if (effect.kind === 'reconcile_call' || effect.kind === 'probe_step') tools.push(effect.probe);
  }
  for (const gate of state.people.gates)
    if (!before.people.gates.some(({ gateId }) => gateId === gate.gateId)) tools.push(...gate.tools);
  return tools;
}

/** A grant is used by the first intent that needed it; repeating that very call uses nothing more. */
function grantUses(before: RunState, state: RunState, attempt: EventOf<'step_attempted'>): readonly GrantUse[] {
  if (state.people.grants.length === 0) return [];
  const spent = new Set(before.people.grants.filter(({ usedBy }) => usedBy !== null).map(({ grantId }) => grantId));
  return state.people.grants
    .filter(({ grantId, usedBy }) => usedBy === attempt.idempotency_key && !spent.has(grantId))
    .map(({ grantId }) => ({
      grant_id: grantId,
      session_id: state.id.runId,
      step_id: attempt.step_id,
      used_at: attempt.at,
    }));
}

/** The first intent of a call counts as one use of the grant that let it pass; repeating that very call as none. */
function standingUse({ state, outbox }: Turn, attempt: EventOf<'step_attempted'>): StandingUse | undefined {
  const { current, id } = state;
  if (attempt.attempt !== 1 || current?.standing === undefined) return undefined;
  if (!outbox.some((effect) => effect.kind === 'call_tool')) return undefined;
  const { standing: grant_id, reserved } = current;
  const microusd = reserved?.tool_spend_microusd ?? 0;
  return { grant_id, session_id: id.runId, step_id: attempt.step_id, used_at: attempt.at, microusd };
}
