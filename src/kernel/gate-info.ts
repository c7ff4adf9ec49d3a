import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Address } from '../model/hash.ts';
import { samePerson } from '../model/same-person.ts';
import { assertProof, withSignature } from './decider.ts';
import { askAnew } from './open-gates.ts';
import type { Inquiry, OpenGate } from './people-state.ts';
import type { Reacts } from './reaction.ts';
import type { RunState } from './state.ts';

/** Notes what whoever decides wants to know before they do, and of whom. Nobody named means the one who asked for the run. */
export function noteInquiry(state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): RunState {
  const { approver: asked_by, asks, reason: question, at: asked_at } = event;
  const asked_of = asks ?? state.intake.identity?.actor ?? asked_by;
  const { gateId, name, stepId, shown } = gate;
  const asked = { asked_by, asked_of, question, asked_at };
  const inquiry: Inquiry = { gateId, gate: name, stepId, planHash: shown.planHash, asked, answer: null };
  return { ...state, people: { ...state.people, inquiries: [...state.people.inquiries, inquiry] } };
}

/** Whoever was asked has answered. The gate shows the exchange from now on, under another hash, and asks anew. */
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
  const told = inquiries.map((each) => (each === inquiry ? { ...inquiry, answer } : each));
  const heard = withSignature(state, event.proof);
  return askAnew(env, { ...heard, people: { ...heard.people, inquiries: told } }, gate);
};

/** The oldest question of this gate that this person was asked and nobody has answered. */
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
