import { nextWake, type OpenGate, type RunState, type Turn } from '../kernel/index.ts';
import { type OutsideEffect, unhandledEffect } from '../model/events/effect-kinds.ts';
import type { EventOf, RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { GATE_DECISION_RULES, type GateStatus } from '../model/gate/gate.ts';
import { type Blob, toBlob } from '../model/json/blob.ts';
import { canonicalize } from '../model/json/canonical.ts';
import type { Hash } from '../model/json/hash.ts';
import type { Json } from '../model/json/json.ts';
import type { CheckpointRow, EffectRow, GateRow, GrantUse, Projections, SessionRow } from '../ports/journal/rows.ts';
import type { StandingUse } from '../ports/journal/standing-grants.ts';
import type { Ancestry } from './lanes/ancestry.ts';
import { workersOf } from './lanes/lane-port.ts';

const NO_TOOLS: readonly string[] = Object.freeze([]);

/** The rows that a frame changes, written by the same append. All of them can be rebuilt from the frames. */
export function project(
  before: RunState,
  turn: Turn,
  frame: Frame,
  { agent, settled, ancestry }: { readonly agent: string; readonly settled: Blob | null; readonly ancestry?: Ancestry },
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
  if (state.laneContext === undefined && standing === undefined) return rows;
  return {
    ...rows,
    ...(state.laneContext === undefined ? {} : { parent: state.laneContext.parent_run_id, workers: workersOf(state) }),
    ...(ancestry === undefined ? {} : { above: ancestry.above, through: ancestry.through }),
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
    // A run that is ending needs a driver at once: the process that ends it may die before its lanes have ended.
    wake_at: state.ending.terminal === null && state.ending.closeBy !== null ? state.now : nextWake(state),
    terminal_code: state.ending.terminal?.code ?? null,
    last_seen: state.session.lastSeen,
    thread: state.intake.thread ?? null,
    thread_user: state.intake.thread === undefined ? null : (state.intake.identity?.actor ?? null),
    mode: state.session.heartbeatMs === null ? 'standard' : 'long_running',
  };
}

/** The gates that this turn opened or closed. */
function gateRows(before: RunState, { state, events }: Turn): readonly GateRow[] {
  if (state.people.gates === before.people.gates) return [];
  const open = state.people.gates.filter((gate) => !before.people.gates.includes(gate));
  const closed = before.people.gates.filter(({ gateId }) => state.people.gates.every((gate) => gate.gateId !== gateId));
  if (open.length === 0 && closed.length === 0) return [];
  return [
    ...open.map((gate) => gateRow(state, gate, 'open')),
    ...closed.map((gate) => gateRow(state, gate, closingStatus(gate, events))),
  ];
}

function closingStatus(gate: OpenGate, events: readonly RunEvent[]): GateStatus {
  for (const event of events) {
    if (event.type !== 'gate_decided' || event.gate_id !== gate.gateId) continue;
    const { closes } = GATE_DECISION_RULES[event.decision];
    if (closes !== null) return closes;
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
 * The result of a committed call with side effects, returned to later calls with the same key. Null if none is settled.
 */
export function settledResult({ current }: RunState, { events }: Turn, hash: Hash): Blob | null {
  // The calls of a lane are in the ledger under the lane's own run.
  if (current?.call == null || current.mode === 'read_only' || current.laneContext !== undefined) return null;
  const { callId } = current.call;
  if (!events.some((event) => isSettled(event, callId))) return null;
  const answer = lastAnswer(events, callId);
  return toBlob(canonicalize(answer === undefined ? (current.observed?.raw ?? null) : answer), hash);
}

/** The last result of a call in these events, or undefined. */
function lastAnswer(events: readonly RunEvent[], callId: string): Json | undefined {
  let last: Json | undefined;
  for (const event of events) {
    const answer = answerIn(event, callId);
    if (answer !== undefined) last = answer;
  }
  return last;
}

/** The result of a call that an event reports, from its tool, a probe or a person. */
function answerIn(event: RunEvent, callId: string): Json | undefined {
  if (event.type === 'step_observed' || event.type === 'call_reconciled')
    return event.call_id === callId ? event.raw : undefined;
  return event.type === 'escalation_decided' ? event.happened?.result : undefined;
}

/** A call is settled when its result is committed, or when it has rolled back the call that it compensates. */
function isSettled(event: RunEvent, callId: string): boolean {
  if (event.type === 'step_committed') return event.call_id === callId;
  if (event.type !== 'step_compensated') return false;
  return event.settled.compensated_by === callId && event.settled.outcome === 'rolled_back';
}

/** The ledger of calls with side effects: pending from the intent on, settled once the result is committed. */
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
 * The tools of every call that the frame dispatches, reads and probes included, because a kill switch blocks all of
 * them. A newly opened gate counts too, so that people are not asked about a blocked call.
 */
export function intentsOf(before: RunState, { state, outbox }: Turn): readonly string[] {
  const tools: string[] = [];
  for (const effect of outbox) {
    tools.push(...toolsOf(effect));
  }
  for (const gate of state.people.gates)
    if (!before.people.gates.some(({ gateId }) => gateId === gate.gateId)) tools.push(...gate.tools);
  return tools;
}

function toolsOf(effect: OutsideEffect): readonly string[] {
  switch (effect.kind) {
    case 'call_tool':
      return [effect.call.tool, ...effect.behind];
    case 'spawn_lane':
      return [effect.call.tool];
    case 'reconcile_call':
    case 'probe_step':
      return [effect.probe];
    case 'propose_plan':
    case 'draft_arguments':
    case 'compose_answer':
    case 'judge_sentences':
    case 'end_lane':
    case 'ask_user':
    case 'read_intent':
    case 'reflect':
    case 'compress_context':
    case 'write_memory':
    case 'ask_judges':
    case 'revoke_credentials':
    case 'abort_flight':
      return NO_TOOLS;
    default:
      throw unhandledEffect(effect);
  }
}

/** The grants used by this attempt. The first intent uses a grant; a retry of the same call uses nothing more. */
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

/** The use of a standing grant. The first intent of a call counts as one use; a retry counts as none. */
function standingUse({ state, outbox }: Turn, attempt: EventOf<'step_attempted'>): StandingUse | undefined {
  const { current, id } = state;
  if (attempt.attempt !== 1 || current?.standing === undefined) return undefined;
  if (!outbox.some((effect) => effect.kind === 'call_tool')) return undefined;
  const { standing: grant_id, reserved } = current;
  const microusd = reserved?.tool_spend_microusd ?? 0;
  return { grant_id, session_id: id.runId, step_id: attempt.step_id, used_at: attempt.at, microusd };
}
