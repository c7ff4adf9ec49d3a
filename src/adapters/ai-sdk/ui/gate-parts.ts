import type { UIMessageChunk } from 'ai';
import type { EventOf, RunEvent } from '../../../model/events/event.ts';
import type { ApprovalPacket } from '../../../model/gate/approval-packet.ts';
import type { GateDecisionKind } from '../../../model/gate/gate.ts';
import { countApproval, type GateTally, isTallied, startTally, tallyProgress } from '../../../model/gate/gate-tally.ts';
import { type NamedGate, packetGates } from '../../../model/gate/gate-terms.ts';
import { type Json, type JsonObject, own } from '../../../model/json/json.ts';
import { visibleJson, visibleText } from '../../../model/text/visible-text.ts';
import { writeApprovalId } from './approval-id.ts';
import { hideSealed } from './hide-sealed.ts';
import type { ToolParts } from './tool-parts.ts';
import type { UIRun } from './ui-run.ts';

type Chunks = readonly UIMessageChunk[];

/** A gate that waits for people. */
interface WaitingGate {
  readonly gateId: string;
  /** Its name and its step. A gate that opens again has the same subject and another id. */
  readonly subject: string;
  readonly approvalId: string;
  readonly toolCallId: string;
  /** What `data-gate` shows of the gate, apart from the decisions. */
  readonly data: JsonObject;
  tally: readonly GateTally[];
  /** True if the gate is about a call of this run, whose result follows. */
  readonly isCall: boolean;
  /** The call that opened the lane of the gate; null for a gate of the run itself. */
  readonly laneCall: string | null;
}

type OpenedGate = Pick<EventOf<'gate_opened'>, 'gate_id' | 'name' | 'packet_hash' | 'expires_at' | 'step_id'>;
type GateDecided = EventOf<'gate_decided'>;

interface Gates {
  readonly tools: ToolParts;
  readonly packet: UIRun['packet'];
  /** False for users who may not decide: they see that a gate waits, and no packet. */
  readonly areShown: boolean;
  /** In the order in which they opened. */
  readonly waiting: Map<string, WaitingGate>;
}

/** Turns the gates of a run and of its lanes into approval requests, each about exactly one packet. */
export function gateParts(deps: Omit<Gates, 'waiting'>): (event: RunEvent, cursor: string) => Promise<Chunks> {
  const gates: Gates = { ...deps, waiting: new Map() };
  return async (event, cursor) => {
    switch (event.type) {
      case 'gate_opened':
        return await openGate(gates, event, null, cursor);
      case 'gate_decided':
        return decide(gates, event, cursor);
      case 'lane_suspended':
        return await suspendLane(gates, event, cursor);
      case 'lane_returned':
        return withdraw(gates, ({ laneCall }) => laneCall === event.call_id);
      case 'run_terminated':
        return [...gates.waiting.values()].flatMap(({ toolCallId }) => gates.tools.end(toolCallId, 'denied'));
      default:
        return [];
    }
  };
}

async function openGate(gates: Gates, opened: OpenedGate, laneCall: string | null, cursor: string): Promise<Chunks> {
  const { tools, packet, areShown, waiting } = gates;
  const { gate_id: gateId, name, packet_hash: packetHash, expires_at: expiresAt, step_id: stepId } = opened;
  const shown = await packet(packetHash);
  const isCall = stepId !== null && laneCall === null;
  const toolCallId = isCall ? tools.idOf(stepId) : gateId;
  const approvalId = writeApprovalId({ gateId, packetHash });
  const subject = `${name} ${stepId} ${laneCall}`;
  const withdrawn = withdraw(gates, (gate) => gate.subject === subject, toolCallId);
  const summary = { gateId, name, expiresAt };
  // The arguments of a call are shown as for any call; a plan, or a call of a lane, only stands in the packet. A person
  // decides about what is shown, so hidden and look-alike characters are escaped. The hash stands for the exact packet.
  const input = isCall || areShown ? visibleJson(inputOf(shown)) : {};
  const data = areShown ? { ...summary, packetHash, packet: visibleJson(hideSealed(shown)) } : summary;
  const tally = startTally(gatesIn(shown, name));
  const gate: WaitingGate = { gateId, subject, approvalId, toolCallId, isCall, laneCall, data, tally };
  waiting.set(gateId, gate);
  return [
    ...withdrawn,
    ...tools.show(toolCallId, actionOf(shown), input),
    showGate(gate),
    ...(askedGate(gates, toolCallId)?.gateId === gateId ? ask(gates, toolCallId, cursor) : []),
  ];
}

/** The data of a gate with the decisions so far. Data under the same id replaces the earlier data. */
const showGate = ({ gateId, data, tally }: WaitingGate): UIMessageChunk => ({
  type: 'data-gate',
  id: gateId,
  data: { ...data, gates: tallyProgress(tally) },
});

/** Removes gates that no longer wait, and ends their parts, except for the part `goesOn`. */
function withdraw({ waiting, tools }: Gates, isGone: (gate: WaitingGate) => boolean, goesOn?: string): Chunks {
  return [...waiting.values()].filter(isGone).flatMap(({ gateId, toolCallId }) => {
    waiting.delete(gateId);
    return toolCallId === goesOn ? [] : tools.end(toolCallId, { output: null });
  });
}

/** The gate that a call asks about now. A message part holds only one approval, so the gates of a call take turns. */
const askedGate = ({ waiting }: Gates, toolCallId: string): WaitingGate | undefined =>
  [...waiting.values()].find((gate) => gate.toolCallId === toolCallId);

/** Asks for a decision. The cursor comes first, so that the client knows its position when it sends the approval. */
function ask(gates: Gates, toolCallId: string, cursor: string): Chunks {
  const gate = askedGate(gates, toolCallId);
  if (gate === undefined || !gates.areShown) return [];
  return [
    { type: 'message-metadata', messageMetadata: { cursor } },
    { type: 'tool-approval-request', approvalId: gate.approvalId, toolCallId },
  ];
}

function decide(gates: Gates, event: GateDecided, cursor: string): Chunks {
  const gate = gates.waiting.get(event.gate_id);
  return gate === undefined ? [] : ON_DECISION[event.decision](gates, gate, event, cursor);
}

type OnDecision = (gates: Gates, gate: WaitingGate, event: GateDecided, cursor: string) => Chunks;

const ON_DECISION: Readonly<Record<GateDecisionKind, OnDecision>> = {
  approve,
  reject: (gates, gate, event) => [...close(gates, gate, event), ...gates.tools.end(gate.toolCallId, 'denied')],
  // An edit withdraws every gate of the call; they open again for the new arguments.
  edit: (gates, { toolCallId }) => withdraw(gates, (other) => other.toolCallId === toolCallId, toolCallId),
  request_info: ({ areShown }, { gateId }, { approver, reason }) => {
    const data = { gateId, askedBy: approver, question: visibleText(reason) };
    return areShown ? [{ type: 'data-inquiry', id: gateId, data }] : [];
  },
};

function approve(gates: Gates, gate: WaitingGate, event: GateDecided, cursor: string): Chunks {
  const { toolCallId, isCall } = gate;
  const isAsked = askedGate(gates, toolCallId) === gate;
  gate.tally = countApproval(gate.tally, event);
  if (!gate.tally.every(isTallied)) return [showGate(gate), ...(isAsked ? ask(gates, toolCallId, cursor) : [])];
  const closed = [...close(gates, gate, event), ...(isCall ? [] : gates.tools.end(toolCallId, { output: null }))];
  return isAsked ? [...closed, ...ask(gates, toolCallId, cursor)] : closed;
}

/** Removes a decided gate. Sends a response only for the approval on screen, because clients refuse any other. */
function close(gates: Gates, gate: WaitingGate, { decision, reason }: GateDecided): Chunks {
  const { approvalId, toolCallId, gateId } = gate;
  const isAsked = askedGate(gates, toolCallId) === gate;
  gates.waiting.delete(gateId);
  if (!gates.areShown || !isAsked) return [];
  return [{ type: 'tool-approval-response', approvalId, approved: decision === 'approve', reason }];
}

/** Shows the waiting gates of a lane. The decisions about them are in the journal of the lane. */
async function suspendLane(gates: Gates, event: EventOf<'lane_suspended'>, cursor: string): Promise<Chunks> {
  const { call_id, waits } = event;
  const open = new Set(waits.gates.map(({ gate_id }) => gate_id));
  const chunks = [...withdraw(gates, ({ gateId, laneCall }) => laneCall === call_id && !open.has(gateId))];
  for (const gate of waits.gates) {
    if (!gates.waiting.has(gate.gate_id)) chunks.push(...(await openGate(gates, gate, call_id, cursor)));
  }
  return chunks;
}

/** The gates that a packet lists. A packet that cannot be read is for the gate that opened. */
const gatesIn = (packet: JsonObject, gate: string): readonly NamedGate[] =>
  packetGates({ gate, ...(packet as Partial<Pick<ApprovalPacket, 'gate' | 'deciders' | 'gates'>>) });

/** The tool of the call, or the kind of any other gate, such as `plan`. */
const actionOf = (packet: JsonObject): string => String(own(packet, 'action') ?? own(packet, 'kind') ?? 'approval');

const inputOf = (packet: JsonObject): Json => own(packet, 'parameters') ?? own(packet, 'plan') ?? {};
