import type { Effect } from '../../../model/events/effect.ts';
import type { KernelEnv } from '../../env.ts';
import type { UserQuestion } from '../../state/people-state.ts';
import type { RunState } from '../../state/run-state.ts';
import { NO_EFFECTS, type Reaction, raise } from '../../transition/reaction.ts';
import { pause } from '../../transition/suspend.ts';
import { canWalk, isAtNode, walk } from '../../transition/walk.ts';
import { escalateRun, handleRecommendation } from './escalate.ts';

/**
 * Asks the user a question and pauses the run. At the plan node the run stays there, because its only edge leads to
 * validation, and the answer leads back to the planner.
 */
export function askUser(env: KernelEnv, state: RunState, question: UserQuestion): Reaction {
  const node = findUserNode(env, state);
  if (node === null) {
    const detail = { fields: question.fields };
    return [raise(state, { code: question.code, reason: 'nobody_to_ask', detail }), NO_EFFECTS];
  }
  const { bound } = env.graph.node(node);
  if (bound?.kind === 'retry_limit' && state.people.questionsAsked >= bound.max) {
    const detail = { fields: question.fields, asked: state.people.questionsAsked };
    return escalateRun(env, state, 'ambiguous_goal', { code: question.code, reason: 'asked_too_often', detail });
  }
  const questionId = `question_${state.people.questionsAsked + 1}`;
  const asking = {
    ...state,
    people: {
      ...state.people,
      questionsAsked: state.people.questionsAsked + 1,
      question: { questionId, packetHash: null, expiresAt: state.now + env.limits.questionTtlMs, ...question },
    },
  };
  const moved = isAtNode(env, state, 'plan') ? asking : walk(env, asking, 'ask_user');
  const waiting = pause(moved, 'escalated', 'kernel', 'user');
  const { fields, readings } = question;
  return [waiting, [{ kind: 'ask_user', question_id: questionId, fields, readings }]];
}

/** The `ask_user` node, which limits the number of questions. Null if the graph has none or no edge leads to it. */
function findUserNode(env: KernelEnv, state: RunState): string | null {
  const node = env.graph.idOf('ask_user');
  if (node === null || isAtNode(env, state, 'plan')) return node;
  return env.graph.edge(state.position.node, node) === null ? null : node;
}

/** Asks the pending question of a model, before a plan or between two steps. Otherwise null. */
export function handleQuestionRequest(env: KernelEnv, state: RunState): Reaction | null {
  const { wanted } = state.people;
  if (wanted === null) return null;
  const isBetweenSteps = isAtNode(env, state, 'completion_check') && canWalk(env, state, 'plan');
  const planning = isBetweenSteps ? walk(env, state, 'plan') : state;
  const canAsk = isAtNode(env, planning, 'plan') && findUserNode(env, planning) !== null;
  return canAsk ? askUser(env, { ...planning, people: { ...planning.people, wanted: null } }, wanted) : null;
}

export function askIntent(env: KernelEnv, state: RunState): Reaction {
  return askUser(env, state, { code: 'AMBIGUOUS_INTENT', fields: ['intent'], readings: state.intake.readings });
}

/** Continues with a clear intent. Asks for all missing fields at once. */
export function continueWithIntent(env: KernelEnv, state: RunState): Reaction {
  const missing = missingFields(state);
  if (missing.length > 0) return askUser(env, state, { code: 'MISSING_INFO', fields: missing, readings: [] });
  return [walk(env, state, 'scope_resolution'), [{ kind: 'resolve_scope' }]];
}

function missingFields({ intake }: RunState): readonly string[] {
  return intake.goal?.required_fields?.filter((field) => !Object.hasOwn(intake.answers, field)) ?? [];
}

export const readIntentEffect = ({ intake }: RunState): Effect => ({
  kind: 'read_intent',
  candidates: intake.readings,
});

/** Handles the model's pending escalation or clarification before the next dispatch. Null if there is none. */
export function handleModelRequest(env: KernelEnv, state: RunState): Reaction | null {
  return handleRecommendation(env, state) ?? handleQuestionRequest(env, state);
}
