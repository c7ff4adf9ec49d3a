import type { KernelEnv } from '../env.ts';
import { replan } from '../flow/plan/replan.ts';
import { assertRecipient, canSpecialistTakeOver } from '../query/gate/escalation.ts';
import type { OpenEscalation } from '../state/people-state.ts';
import type { RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reaction, type Reacts, raise } from '../transition/reaction.ts';
import { pause } from '../transition/suspend.ts';

/** Records the escalation with its recipient, and pauses the run unless it ends or the specialist model takes over. */
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
  if (state.ending.closing || state.ending.stops.length > 0) return [escalated, NO_EFFECTS];
  const isHeldBreach = trigger === 'security_breach' && env.limits.onBreach === 'hold';
  if (event.escalation.route === 'fail_closed' && open !== null && !isHeldBreach)
    return [raise(escalated, open.stop), NO_EFFECTS];
  if (recipient === 'specialist_model' && open !== null && canSpecialistTakeOver(env, state))
    return startSpecialist(env, escalated, open);
  return [pause(escalated, 'escalated', trigger, recipient), NO_EFFECTS];
};

/** Records the packet hash of the question. The run is already paused. */
export const onQuestionAsked: Reacts<'question_asked'> = (_env, state, event) => {
  const { question } = state.people;
  if (event.packet_hash === undefined || question?.questionId !== event.question_id) return [state, NO_EFFECTS];
  return [
    { ...state, people: { ...state.people, question: { ...question, packetHash: event.packet_hash } } },
    NO_EFFECTS,
  ];
};

/**
 * Lets the specialist model make the next plan. The plan is verified and judged like any other. This happens once; the
 * next escalation goes to people.
 */
function startSpecialist(env: KernelEnv, state: RunState, { stop }: OpenEscalation): Reaction {
  const { step_id, ...detail } = stop.detail ?? {};
  const engaged: RunState = {
    ...state,
    planning: { ...state.planning, specialist: 'planning' },
    people: { ...state.people, escalation: null },
  };
  const reason = {
    code: stop.reason,
    step_id: typeof step_id === 'string' ? step_id : null,
    message: typeof detail['message'] === 'string' ? detail['message'] : 'nobody could rely on what was done before',
    detail,
  };
  return replan(env, engaged, { reason, trigger: 'low_confidence', code: 'LOW_CONFIDENCE' });
}
