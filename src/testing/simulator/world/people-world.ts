import { gateProgress, type OpenGate, type OpenQuestion, type RunState } from '../../../kernel/index.ts';
import type { EventBody, EventOf } from '../../../model/events/event.ts';
import { GATE_DECISION_RULES, GATE_DECISIONS, type GateDecisionKind } from '../../../model/gate/gate.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { Delivery } from '../agenda.ts';
import type { Prng } from '../prng.ts';
import type { Planned } from './planner-world.ts';

/** The people who can decide. */
const NAMES = ['ana', 'ben', 'chloe'] as const;
const NOBODY = '';

const ANOTHER_PACKET = `sha256:${'0'.repeat(64)}`;

/** A person's answers at a gate: in the best case one, in time, by name, about the packet shown. */
function decideGate(prng: Prng, fault: number, gate: OpenGate, now: number, args: JsonObject): readonly Planned[] {
  const person = prng.pick(NAMES);
  const decided = answer(gate, { decision: randomDecision(prng, fault), approver: person }, covered(prng, gate));
  const honest =
    GATE_DECISION_RULES[decided.decision].brings === 'parameters'
      ? { ...decided, parameters: edited(prng, args) }
      : decided;
  const inTime = { at: now + prng.int(1_000, 300_000), body: honest };
  if (!prng.chance(fault)) return [inTime];
  const approve = { decision: 'approve' as const, approver: person };
  switch (prng.pick(['absent', 'late', 'nameless', 'another_packet', 'twice', 'undecided'] as const)) {
    case 'absent':
      return [];
    case 'late':
      return [{ at: gate.expiresAt + prng.int(0, 60_000), body: answer(gate, approve) }];
    case 'nameless':
      return [{ at: now + 1, body: answer(gate, { ...approve, approver: NOBODY }) }, inTime];
    case 'another_packet':
      return [{ at: now + 1, body: { ...answer(gate, approve), packet_hash: ANOTHER_PACKET } }, inTime];
    case 'twice':
      return [inTime, { ...inTime, at: inTime.at + prng.int(0, 5_000) }];
    case 'undecided':
      return [1, 2, 3, 4].map((turn) => ({
        at: now + turn * 500,
        body: answer(gate, { decision: 'request_info', approver: person }),
      }));
  }
}

type GateAnswer = Omit<EventOf<'gate_decided'>, 'at'>;

/** The undecided gates of a call, or one of them: another person then decides the others. */
function covered(prng: Prng, gate: OpenGate): readonly string[] {
  const open = undecidedIn(gate);
  return open.length > 1 && prng.chance(0.4) ? [prng.any(open) ?? ''] : open;
}

const undecidedIn = (gate: OpenGate): readonly string[] =>
  gateProgress(gate).flatMap(({ name, decided_by }) => (decided_by === null ? [name] : []));

function answer(
  gate: OpenGate,
  decided: Pick<GateAnswer, 'decision' | 'approver'>,
  names: readonly string[] = undecidedIn(gate),
): GateAnswer {
  const { gateId: gate_id, packetHash: packet_hash, gates } = gate;
  const named = decided.decision === 'approve' && gates.length > 1 ? { gates: names } : {};
  return { type: 'gate_decided', gate_id, packet_hash, ...decided, ...named, reason: 'simulated' };
}

/** Edited arguments: some are removed, which not every schema allows. */
function edited(prng: Prng, args: JsonObject): JsonObject {
  const kept = Object.entries(args).filter(() => prng.chance(0.8));
  return Object.fromEntries(kept);
}

const ONLY_WITH_FAULTS: Readonly<Record<GateDecisionKind, boolean>> = {
  approve: false,
  reject: false,
  edit: true,
  request_info: true,
};
const WITH_FAULTS = GATE_DECISIONS.filter((decision) => ONLY_WITH_FAULTS[decision]);

function randomDecision(prng: Prng, fault: number): GateDecisionKind {
  if (prng.chance(0.03)) return 'reject';
  return prng.chance(fault / 4) ? (prng.any(WITH_FAULTS) ?? 'approve') : 'approve';
}

const soon = (prng: Prng, now: number): number => now + prng.int(1_000, 300_000);

/** The hash of the packet that the decider was shown. */
function aboutShown({ people }: RunState): { readonly packet_hash?: string } {
  const packetHash = people.escalation?.packetHash ?? null;
  return packetHash === null ? {} : { packet_hash: packetHash };
}

/** A person's decision on an escalated run. If a budget was exhausted, it may be extended. */
function decideEscalation(prng: Prng, fault: number, state: RunState, now: number): readonly Planned[] {
  if (prng.chance(fault / 2)) return [];
  const why = { by: prng.chance(fault / 4) ? NOBODY : prng.pick(NAMES), reason: 'simulated', ...aboutShown(state) };
  const dimension = state.people.escalation?.stop.detail?.['dimension'];
  if (typeof dimension === 'string' && prng.chance(0.6)) {
    const delta = { [dimension]: prng.pick([1, 10, 1_000_000]) };
    return [{ at: soon(prng, now), body: { type: 'budget_extended', ...why, delta } }];
  }
  const decision = prng.pick(['continue', 'continue', 'finalize', 'terminate'] as const);
  return [{ at: soon(prng, now), body: { type: 'escalation_decided', decision, ...why } }];
}

function liftPause(prng: Prng, fault: number, now: number): readonly Planned[] {
  if (prng.chance(fault / 2)) return [];
  const operator = !prng.chance(fault / 2);
  return [{ at: soon(prng, now), body: { type: 'run_resumed', by: prng.pick(NAMES), operator } }];
}

/** After a refusal, a person may try the next decision or give up. */
function insist(prng: Prng, refused: EventBody, now: number): readonly Planned[] {
  if (refused.type === 'run_resumed' && !refused.operator) return liftPause(prng, 0, now);
  const decided = refused.type === 'escalation_decided' || refused.type === 'budget_extended';
  if (!decided || prng.chance(0.2)) return [];
  const gentle = refused.type === 'escalation_decided' && refused.decision === 'continue';
  const decision = gentle ? 'finalize' : 'terminate';
  const about = refused.packet_hash === undefined ? {} : { packet_hash: refused.packet_hash };
  const who = { by: prng.pick(NAMES), reason: 'once more' };
  const body = { type: 'escalation_decided' as const, decision, ...who, ...about } as const;
  return [{ at: soon(prng, now), body }];
}

/** The user answers all fields, some of them, another question, or none. */
function answerQuestion(prng: Prng, fault: number, question: OpenQuestion, now: number): readonly Planned[] {
  if (prng.chance(fault / 2)) return [];
  const fields = prng.chance(fault) ? question.fields.slice(1) : question.fields;
  const question_id = prng.chance(fault / 4) ? 'question_99' : question.questionId;
  const answers = Object.fromEntries(fields.map((field) => [field, question.readings[0] ?? 'whatever']));
  const changes_scope = prng.chance(0.3);
  const about = question.packetHash === null ? {} : { packet_hash: question.packetHash };
  const body = { type: 'question_answered' as const, question_id, ...about, answers, changes_scope, by: 'user_sim' };
  return [{ at: now + prng.int(1_000, 300_000), body }];
}

export interface PeopleWorld {
  /** People's reactions to changes in the journal, which is all they see. */
  notice(before: RunState, after: RunState, now: number): readonly Delivery[];
  /** The next attempt of a person whose decision was refused. */
  insist(refused: EventBody, now: number): readonly Delivery[];
}

/** All people. With the given probability they are absent, slow, careless or unknown. */
export function peopleWorld(prng: Prng, fault: number): PeopleWorld {
  const input = ({ at, body }: Planned): Delivery => ({ at, body, kind: 'input', life: null });
  const react = (before: RunState, after: RunState, now: number): readonly Planned[] => {
    const known = new Map(before.people.gates.map((gate) => [gate.gateId, undecidedIn(gate).length]));
    const asking = after.people.gates.filter((gate) => known.get(gate.gateId) !== undecidedIn(gate).length);
    const atGates = asking.flatMap((gate) => decideGate(prng, fault, gate, now, after.current?.args ?? {}));
    const { question, escalations } = after.people;
    if (question !== null) {
      const asked = question.questionId !== before.people.question?.questionId;
      return asked ? [...atGates, ...answerQuestion(prng, fault, question, now)] : atGates;
    }
    if (after.session.status !== 'paused') return atGates;
    const cause = after.session.pause?.cause;
    if (cause === 'escalated') {
      return escalations > before.people.escalations ? decideEscalation(prng, fault, after, now) : atGates;
    }
    return before.session.status === 'paused' ? atGates : liftPause(prng, fault, now);
  };
  return {
    notice: (before, after, now) => (after.ending.terminal === null ? react(before, after, now).map(input) : []),
    insist: (refused, now) => insist(prng, refused, now).map(input),
  };
}
