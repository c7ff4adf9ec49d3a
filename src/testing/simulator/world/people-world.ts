import type { OpenGate, RunState } from '../../../kernel/state.ts';
import type { EventBody } from '../../../model/event.ts';
import type { Delivery } from '../agenda.ts';
import type { Prng } from '../prng.ts';

export interface PeopleWorld {
  /** What people come to do because of what changed in the journal, which is all they look at. */
  notice(before: RunState, after: RunState, now: number): readonly Delivery[];
}

const NAMES = ['ana', 'ben', 'chloe'] as const;
const NOBODY = '';

/** People who are asked. With the given probability they are absent, slow, careless or unknown. */
export function peopleWorld(prng: Prng, fault: number): PeopleWorld {
  const soon = (now: number): number => now + prng.int(1_000, 300_000);
  const input = (at: number, body: EventBody): Delivery => ({ at, body, kind: 'input', life: null });

  const decideGate = (gate: OpenGate, now: number): readonly Delivery[] => {
    const decision = (
      packet_hash: string,
      approver: string,
      at: number,
      kind = randomDecision(prng, fault),
    ): Delivery =>
      input(at, {
        type: 'gate_decided',
        gate_id: gate.gateId,
        packet_hash,
        decision: kind,
        approver,
        reason: 'simulated',
      });
    const person = prng.pick(NAMES);
    const answer = decision(gate.packetHash, person, soon(now));
    if (!prng.chance(fault)) return [answer];
    switch (prng.pick(['absent', 'late', 'nameless', 'another_packet', 'twice', 'undecided'] as const)) {
      case 'absent':
        return [];
      case 'late':
        return [decision(gate.packetHash, person, gate.expiresAt + prng.int(0, 60_000), 'approve')];
      case 'nameless':
        return [decision(gate.packetHash, NOBODY, now + 1, 'approve'), answer];
      case 'another_packet':
        return [decision(`sha256:${'0'.repeat(64)}`, person, now + 1, 'approve'), answer];
      case 'twice':
        return [answer, { ...answer, at: answer.at + prng.int(0, 5_000) }];
      case 'undecided':
        return [1, 2, 3, 4].map((turn) => decision(gate.packetHash, person, now + turn * 500, 'request_info'));
    }
  };

  const answerQuestion = (state: RunState, now: number): readonly Delivery[] => {
    const question = state.people.question;
    if (question === null || prng.chance(fault / 2)) return [];
    const fields = prng.chance(fault) ? question.fields.slice(1) : question.fields;
    const question_id = prng.chance(fault / 4) ? 'question_99' : question.questionId;
    const answers = Object.fromEntries(fields.map((field) => [field, question.readings[0] ?? 'whatever']));
    const changes_scope = prng.chance(0.3);
    return [input(soon(now), { type: 'question_answered', question_id, answers, changes_scope, by: 'user_sim' })];
  };

  const decideEscalation = (state: RunState, now: number): readonly Delivery[] => {
    if (prng.chance(fault / 2)) return [];
    const by = prng.chance(fault / 4) ? NOBODY : prng.pick(NAMES);
    const why = { by, reason: 'simulated' };
    const dimension = state.people.escalation?.stop.detail?.['dimension'];
    if (typeof dimension === 'string' && prng.chance(0.5)) {
      const delta = { [dimension]: prng.pick([1, 10, 1_000_000]) };
      return [input(soon(now), { type: 'budget_extended', ...why, delta })];
    }
    const decision = prng.pick(['continue', 'continue', 'finalize', 'terminate'] as const);
    return [input(soon(now), { type: 'escalation_decided', decision, ...why })];
  };

  const liftPause = (now: number): readonly Delivery[] => {
    if (prng.chance(fault / 2)) return [];
    const operator = !prng.chance(fault / 2);
    return [input(soon(now), { type: 'run_resumed', by: prng.pick(NAMES), operator })];
  };

  return {
    notice: (before, after, now) => {
      if (after.ending.terminal !== null) return [];
      const opened = after.people.gates.filter(
        ({ gateId }) => !before.people.gates.some((open) => open.gateId === gateId),
      );
      const planned = opened.flatMap((gate) => decideGate(gate, now));
      const { question } = after.people;
      if (question !== null && question.questionId !== before.people.question?.questionId) {
        planned.push(...answerQuestion(after, now));
      }
      const newlyHeld = after.session.status === 'paused' && before.session.status !== 'paused';
      if (!newlyHeld || question !== null) return planned;
      const cause = after.session.pause?.cause;
      planned.push(...(cause === 'escalated' ? decideEscalation(after, now) : liftPause(now)));
      return planned;
    },
  };
}

function randomDecision(prng: Prng, fault: number): 'approve' | 'reject' | 'edit' | 'request_info' {
  if (prng.chance(0.05)) return 'reject';
  return prng.chance(fault / 4) ? prng.pick(['edit', 'request_info']) : 'approve';
}
