import type { EventOf, EventType, RunEvent } from '../../model/events/event.ts';
import { unknownVariant } from '../../model/fault/fault.ts';
import { countApproval, type GateTally, isTallied, startTally } from '../../model/gate/gate-tally.ts';
import { openedGates } from '../../model/gate/gate-terms.ts';
import { type EscalationRequest, type EscalationTrace, NONE } from '../../model/record/trace.ts';

type Outcome = EscalationTrace['outcome'];

/** A request to people. Requests keep their order, whenever each is settled. */
interface Asked {
  readonly request: EscalationRequest;
  readonly requested_at: number;
  /** The approvals of each gate; empty for requests that are not about gates. */
  tally: readonly GateTally[];
  decision: string;
  approver: string;
  outcome: Outcome;
  settled_at: number | null;
}

/** All requests to people in a run, each with its decision, decider and outcome. */
export function escalationsIn(events: readonly RunEvent[]): readonly EscalationTrace[] {
  const asked: Asked[] = [];
  for (const event of events) {
    const handle = HANDLERS[event.type] as Handler | undefined;
    handle?.(asked, event);
  }
  return asked.map(({ tally: _, ...entry }) => entry);
}

type Handler = (asked: Asked[], event: RunEvent) => void;
type HandlerOf<T extends EventType> = (asked: Asked[], event: EventOf<T>) => void;

/** The events that open or settle a request. */
const HANDLERS: { readonly [T in EventType]?: HandlerOf<T> } = {
  gate_opened: (asked, event) => {
    const { gate_id, name, gate_kind, step_id, packet_hash, at } = event;
    // A gate that opens again with another packet withdraws its earlier request.
    settle(openGate(asked, gate_id), 'withdrawn', at);
    const gates = openedGates(event);
    const several = gates.length > 1 ? { gates: gates.map((gate) => gate.name) } : {};
    const request = { kind: 'gate', gate_id, name, ...several, gate_kind, step_id, packet_hash } as const;
    asked.push(opened(request, at, startTally(gates)));
  },
  gate_decided: (asked, event) => {
    const { gate_id, decision, approver, at } = event;
    const gate = openGate(asked, gate_id);
    if (gate === undefined) return;
    gate.decision = decision;
    gate.approver = approver;
    switch (decision) {
      case 'approve':
        gate.tally = countApproval(gate.tally, event);
        if (gate.tally.every(isTallied)) settle(gate, 'continued', at);
        return;
      case 'reject':
        settle(gate, 'terminated', at);
        return;
      case 'edit':
        settle(gate, 'continued', at);
        return;
      case 'request_info':
        return;
      default:
        throw unknownVariant(decision, '/decision');
    }
  },
  run_escalated: (asked, { escalation, packet_hash = null, at }) => {
    asked.push(opened({ kind: 'handover', escalation, packet_hash }, at));
  },
  escalation_decided: (asked, { decision, by, at }) => {
    decide(openHandover(asked), decision, by, DECIDED[decision], at);
  },
  budget_extended: (asked, { by, at }) => {
    decide(openHandover(asked) ?? openOf(asked, 'gate'), 'extend_budget', by, 'continued', at);
  },
  run_resumed: (asked, { by, at }) => decide(openHandover(asked), 'resume', by, 'continued', at),
  question_asked: (asked, { question_id, fields, readings, at }) => {
    asked.push(opened({ kind: 'question', question_id, fields, readings }, at));
  },
  question_answered: (asked, { question_id, by, at }) => {
    const put = asked.find(({ request, settled_at }) => isQuestion(request, question_id) && settled_at === null);
    decide(put, 'answer', by, 'continued', at);
  },
  // A migration withdraws what people were asked about calls and plans with the older tools.
  run_migrated: (asked, { tools, at }) => {
    if (tools === undefined) return;
    for (const entry of asked.filter(isAboutCalls)) settle(entry, 'withdrawn', at);
  },
  run_cancelled: (asked, { by, at }) => {
    for (const entry of asked.filter(isOpen)) decide(entry, 'cancel', by, 'terminated', at);
  },
  run_terminated: (asked, { reason, at }) => {
    for (const entry of asked.filter(isOpen)) settle(entry, reason.endsWith('_expired') ? 'expired' : 'withdrawn', at);
  },
};

const DECIDED: Readonly<Record<EventOf<'escalation_decided'>['decision'], Outcome>> = {
  continue: 'continued',
  finalize: 'finalized',
  terminate: 'terminated',
};

function opened(request: EscalationRequest, requested_at: number, tally: Asked['tally'] = []): Asked {
  return { request, requested_at, tally, decision: NONE, approver: NONE, outcome: 'open', settled_at: null };
}

function decide(entry: Asked | undefined, decision: string, by: string, outcome: Outcome, at: number): void {
  if (entry === undefined) return;
  entry.decision = decision;
  entry.approver = by;
  settle(entry, outcome, at);
}

function settle(entry: Asked | undefined, outcome: Outcome, at: number): void {
  if (entry === undefined) return;
  entry.outcome = outcome;
  entry.settled_at = at;
}

const isAboutCalls = ({ request, settled_at }: Asked): boolean =>
  settled_at === null && request.kind === 'gate' && (request.gate_kind === 'action' || request.gate_kind === 'plan');

const isOpen = ({ settled_at }: Asked): boolean => settled_at === null;

const openOf = (asked: readonly Asked[], kind: EscalationRequest['kind']): Asked | undefined =>
  asked.findLast((entry) => entry.request.kind === kind && isOpen(entry));

const openHandover = (asked: readonly Asked[]): Asked | undefined => openOf(asked, 'handover');

const openGate = (asked: readonly Asked[], gateId: string): Asked | undefined =>
  asked.findLast((entry) => entry.request.kind === 'gate' && entry.request.gate_id === gateId && isOpen(entry));

const isQuestion = (request: EscalationRequest, questionId: string): boolean =>
  request.kind === 'question' && request.question_id === questionId;
