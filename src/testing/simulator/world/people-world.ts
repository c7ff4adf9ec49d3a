import type { RunState } from '../../../kernel/state.ts';
import type { EventBody } from '../../../model/event.ts';
import type { Delivery } from '../agenda.ts';
import type { Prng } from '../prng.ts';
import { decideGate } from './approver.ts';
import { decideEscalation, insist, liftPause } from './operator.ts';
import type { Planned } from './planned.ts';
import { answerQuestion } from './user.ts';

export interface PeopleWorld {
  /** What people come to do because of what changed in the journal, which is all they look at. */
  notice(before: RunState, after: RunState, now: number): readonly Delivery[];
  /** What somebody tries next whose decision was refused. */
  insist(refused: EventBody, now: number): readonly Delivery[];
}

/** Everybody who is asked. With the given probability they are absent, slow, careless or unknown. */
export function peopleWorld(prng: Prng, fault: number): PeopleWorld {
  const input = ({ at, body }: Planned): Delivery => ({ at, body, kind: 'input', life: null });
  const react = (before: RunState, after: RunState, now: number): readonly Planned[] => {
    const known = new Set(before.people.gates.map(({ gateId }) => gateId));
    const opened = after.people.gates.filter(({ gateId }) => !known.has(gateId));
    const atGates = opened.flatMap((gate) => decideGate(prng, fault, gate, now, after.current?.args ?? {}));
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
