import { raise } from './closing.ts';
import { assertRecipient } from './escalate.ts';
import { NOTHING, type Reacts } from './reaction.ts';
import { mayTakeOver } from './specialist.ts';
import { pause } from './suspend.ts';
import { takeOver } from './take-over.ts';

/** The escalation is on record with the name of whoever has authority now. A run that can wait, waits. */
export const onRunEscalated: Reacts<'run_escalated'> = (env, state, event) => {
  assertRecipient(event.escalation);
  const open = state.people.escalation;
  const { recipient, trigger } = event.escalation;
  const escalated = {
    ...state,
    people: {
      ...state.people,
      escalations: state.people.escalations + 1,
      escalation: open === null ? null : { ...open, recipient, packetHash: event.packet_hash ?? null },
    },
  };
  if (state.ending.closing || state.ending.stops.length > 0) return [escalated, NOTHING];
  const held = trigger === 'security_breach' && env.limits.onBreach === 'hold';
  if (event.escalation.route === 'fail_closed' && open !== null && !held) return [raise(escalated, open.stop), NOTHING];
  if (recipient === 'specialist_model' && open !== null && mayTakeOver(env, state))
    return takeOver(env, escalated, open);
  return [pause(escalated, 'escalated', trigger, recipient), NOTHING];
};

/** The question has reached somebody. The run was paused when it was asked. */
export const onQuestionAsked: Reacts<'question_asked'> = (_env, state, event) => {
  const { question } = state.people;
  if (event.packet_hash === undefined || question?.questionId !== event.question_id) return [state, NOTHING];
  return [{ ...state, people: { ...state.people, question: { ...question, packetHash: event.packet_hash } } }, NOTHING];
};
