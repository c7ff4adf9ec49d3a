import type { TerminalCode } from '../model/terminal-code.ts';
import { raise } from './closing.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { NOTHING, type Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { pause } from './suspend.ts';
import { walk } from './walk.ts';

/** What is missing, or between which readings to choose. The code is the run's ending if nobody ever answers. */
export interface Question {
  readonly code: TerminalCode;
  readonly fields: readonly string[];
  readonly readings: readonly string[];
}

/** Asks instead of guessing. Everything stands still until the answer comes. */
export function askUser(env: KernelEnv, state: RunState, question: Question): Reaction {
  const node = env.graph.idOf('ask_user');
  if (node === null) return [raise(state, { code: question.code, reason: 'nobody_to_ask' }), NOTHING];
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
      question: { questionId, ...question },
    },
  };
  const waiting = pause(walk(env, asked, 'ask_user'), 'escalated', 'kernel', 'user');
  const { fields, readings } = question;
  return [waiting, [{ kind: 'ask_user', question_id: questionId, fields, readings }]];
}
