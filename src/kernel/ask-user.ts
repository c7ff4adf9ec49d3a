import { raise } from './closing.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import type { Question } from './people-state.ts';
import { NOTHING, type Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { pause } from './suspend.ts';
import { canWalk, standsOn, walk } from './walk.ts';

/**
 * Asks instead of guessing. Everything stands still until the answer comes. Who is to plan waits where plans are made,
 * because a plan node leads to validation only, and that is where the answer leads to.
 */
export function askUser(env: KernelEnv, state: RunState, question: Question): Reaction {
  const node = wayToUser(env, state);
  if (node === null) {
    const detail = { fields: question.fields };
    return [raise(state, { code: question.code, reason: 'nobody_to_ask', detail }), NOTHING];
  }
  const { bound } = env.graph.node(node);
  if (bound?.kind === 'retry_limit' && state.people.questionsAsked >= bound.max) {
    const detail = { fields: question.fields, asked: state.people.questionsAsked };
    return escalateRun(env, state, 'ambiguous_goal', { code: question.code, reason: 'asked_too_often', detail });
  }
  const questionId = `question_${state.people.questionsAsked + 1}`;
  const asked = {
    ...state,
    people: {
      ...state.people,
      questionsAsked: state.people.questionsAsked + 1,
      question: { questionId, packetHash: null, expiresAt: state.now + env.limits.questionTtlMs, ...question },
    },
  };
  const there = standsOn(env, state, 'plan') ? asked : walk(env, asked, 'ask_user');
  const waiting = pause(there, 'escalated', 'kernel', 'user');
  const { fields, readings } = question;
  return [waiting, [{ kind: 'ask_user', question_id: questionId, fields, readings }]];
}

/** The node that bounds how often the user is asked, or null where the graph has none or no edge leads there from here. */
function wayToUser(env: KernelEnv, state: RunState): string | null {
  const node = env.graph.idOf('ask_user');
  if (node === null || standsOn(env, state, 'plan')) return node;
  return env.graph.edge(state.position.node, node) === null ? null : node;
}

/**
 * Asks what a model wanted to know, or null where none did or the run is not where it could plan with an answer:
 * before a plan is made, or between two steps of one.
 */
export function heedQuestion(env: KernelEnv, state: RunState): Reaction | null {
  const { wanted } = state.people;
  if (wanted === null) return null;
  const between = standsOn(env, state, 'completion_check') && canWalk(env, state, 'plan');
  const planning = between ? walk(env, state, 'plan') : state;
  const canAsk = standsOn(env, planning, 'plan') && wayToUser(env, planning) !== null;
  return canAsk ? askUser(env, { ...planning, people: { ...planning.people, wanted: null } }, wanted) : null;
}
