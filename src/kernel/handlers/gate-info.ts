import type { EventOf } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import { samePerson } from '../../model/gate/signing-key.ts';
import type { Address } from '../../model/json/hash.ts';
import { reopenGate } from '../flow/people/open-gates.ts';
import { assertProof, withSignature } from '../query/gate/decider.ts';
import type { Inquiry, OpenGate } from '../state/people-state.ts';
import type { RunState } from '../state/run-state.ts';
import type { Reacts } from '../transition/reaction.ts';

/** Records an approver's question, and the person it is addressed to. Defaults to the requester of the run. */
export function noteInquiry(state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): RunState {
  const { approver: asked_by, asks, reason: question, at: asked_at } = event;
  const asked_of = asks ?? state.intake.identity?.actor ?? asked_by;
  const { gateId, name, stepId, shown } = gate;
  const asked = { asked_by, asked_of, question, asked_at };
  const inquiry: Inquiry = { gateId, gate: name, stepId, planHash: shown.planHash, asked, answer: null };
  return { ...state, people: { ...state.people, inquiries: [...state.people.inquiries, inquiry] } };
}

/** Records the answer. The gate opens again with the exchange, under a new hash. */
export const onInfoProvided: Reacts<'info_provided'> = (env, state, event) => {
  const gate = state.people.gates.find((open) => open.gateId === event.gate_id);
  if (gate === undefined) throw new Fault('gate_closed', `gate ${event.gate_id} is not open`);
  if (state.now >= gate.expiresAt) throw new Fault('gate_closed', `gate ${event.gate_id} has expired`);
  if (event.packet_hash !== gate.packetHash) {
    throw new Fault('grant_stale', `the answer is about another packet than the one gate ${event.gate_id} shows`);
  }
  assertProof(state, event.by, event.proof);
  if (event.text === undefined && event.evidence === undefined) {
    throw new Fault('input_missing', 'an answer says something: text, evidence, or both', { path: '/text' });
  }
  const { inquiries } = state.people;
  const inquiry = openInquiry(inquiries, gate, event.by);
  const answer = {
    answered_by: event.by,
    text: event.text ?? null,
    evidence: (event.evidence ?? []) as readonly Address[],
    answered_at: event.at,
  };
  const answered = inquiries.map((each) => (each === inquiry ? { ...inquiry, answer } : each));
  const signed = withSignature(state, event.proof);
  return reopenGate(env, { ...signed, people: { ...signed.people, inquiries: answered } }, gate);
};

/** The oldest open question of this gate to this person. */
function openInquiry(inquiries: readonly Inquiry[], { gateId }: OpenGate, by: string): Inquiry {
  const open = inquiries.filter((inquiry) => inquiry.gateId === gateId && inquiry.answer === null);
  const [first] = open;
  if (first === undefined) {
    throw new Fault('info_not_requested', `nobody at gate ${gateId} has asked for more information`);
  }
  const theirs = open.find(({ asked }) => samePerson(asked.asked_of, by));
  if (theirs !== undefined) return theirs;
  throw new Fault('permission_denied', `${first.asked.asked_of} was asked at gate ${gateId}, and not ${by}`);
}
