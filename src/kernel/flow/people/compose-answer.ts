import type { EffectOf } from '../../../model/events/effect.ts';
import type { SentenceRuling } from '../../../model/evidence/answer.ts';
import { NO_COST, type ToolCost } from '../../../model/tool/tool.ts';
import { type Need, reserve } from '../../budget/budget.ts';
import type { KernelEnv } from '../../env.ts';
import { answerFacts, unansweredFields } from '../../query/evidence/answer-facts.ts';
import { directAnswer, directReply } from '../../query/plan/reasoning.ts';
import type { AnswerState } from '../../state/answer-state.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { launch, type Reaction } from '../../transition/reaction.ts';

/** The composer writes once and rewrites once; then the deterministic form takes the place of the rest. */
const COMPOSITIONS_MAX = 2;

/** The model cost of composing or judging once, as the budget counts it. */
export function modelNeed(cost: ToolCost | null): Need {
  const { input_tokens, output_tokens, microusd } = cost ?? NO_COST;
  return { input_tokens, output_tokens, cost_microusd: microusd };
}

/**
 * Answers the user: a composer writes the answer if there is one and facts to write about; otherwise the answer is
 * compiled. A budget that is too small for a composer is no reason to fail a run whose work is done.
 */
export function answerUser(env: KernelEnv, state: RunState): Reaction {
  // A reviewer releases the answer of regulated work in one piece, so no sentence of it is released before.
  const isReviewed = state.intake.regulated === true;
  const hasComposer =
    env.limits.composerCost !== null && !isReviewed && (directAnswer(state) ?? directReply(state)) === null;
  const canCompose = hasComposer && answerFacts(env, state).length > 0;
  if (!canCompose) return [state, [{ kind: 'compile_response' }]];
  const answer: AnswerState = { attempt: 0, sentences: [], rulings: [], released: [] };
  return requestComposition(env, { ...state, ending: { ...state.ending, answer } }, answer);
}

/** Asks the composer for the answer, or for the sentences that the release check did not accept. */
function requestComposition(env: KernelEnv, state: RunState, answer: AnswerState): Reaction {
  const reserved = state.budget === null ? null : reserve(state.budget, modelNeed(env.limits.composerCost), 'executor');
  if (reserved === null || !reserved.ok) return releaseAnswerNow(state, answer);
  const next: AnswerState = { ...answer, attempt: answer.attempt + 1 };
  const asked: RunState = { ...state, budget: reserved.budget, ending: { ...state.ending, answer: next } };
  return launch(asked, 'answer', composeEffect(next));
}

/** The request for the current attempt; `resume` sends it again. */
export const composeEffect = ({ attempt, rulings }: AnswerState): EffectOf<'compose_answer'> => ({
  kind: 'compose_answer',
  attempt,
  rewrite: rulings.filter(({ ruling }) => ruling !== 'proven'),
});

/** Releases the next sentence, and after the last one the facts that were asked for and not shown. Then compiles the response. */
function releaseAnswerNow(state: RunState, answer: AnswerState): Reaction {
  const { sentences, released } = answer;
  const next = released.length;
  const isUnanswered = next === sentences.length && unansweredFields(answer).length > 0;
  const effect =
    next < sentences.length || isUnanswered
      ? ({ kind: 'release_sentence', index: next } as const)
      : ({ kind: 'compile_response' } as const);
  return [state, [effect]];
}

export function answerOf(state: RunState): AnswerState {
  const { answer } = state.ending;
  if (answer === undefined) throw impossibleEvent('a sentence of an answer that was not requested', state);
  return answer;
}

/**
 * Releases the next accepted sentence. At one that was not accepted, asks for a rewrite as long as there may be one, and
 * then the agent's judge, once.
 */
export function continueAnswer(env: KernelEnv, state: RunState): Reaction {
  const answer = answerOf(state);
  const next = answer.rulings[answer.released.length];
  if (next === undefined || next.ruling === 'proven') return releaseAnswerNow(state, answer);
  if (answer.attempt < COMPOSITIONS_MAX) return requestComposition(env, state, answer);
  return requestVerdicts(env, state, answer);
}

/** The sentences that the judge is asked about: not provable, not released, and of a kind that a judge may rule on. */
export const judgeableRulings = ({ rulings, released }: AnswerState): readonly SentenceRuling[] =>
  rulings.filter(({ index, judgeable }) => index >= released.length && judgeable === true);

/** Asks the judge. Without one, or with a budget that is too small for it, facts replace the sentences. */
function requestVerdicts(env: KernelEnv, state: RunState, answer: AnswerState): Reaction {
  const cost = env.limits.answerJudgeCost;
  const isAsked = cost !== null && answer.verdicts === undefined && judgeableRulings(answer).length > 0;
  const reserved = isAsked && state.budget !== null ? reserve(state.budget, modelNeed(cost), 'critic') : null;
  if (reserved === null || !reserved.ok) return releaseAnswerNow(state, answer);
  return launch({ ...state, budget: reserved.budget }, 'verdicts', judgeEffect(answer));
}

/** The request for verdicts; `resume` sends it again. */
export const judgeEffect = (answer: AnswerState): EffectOf<'judge_sentences'> => ({
  kind: 'judge_sentences',
  indexes: judgeableRulings(answer).map(({ index }) => index),
});

/** Goes on with an answer that a pause interrupted. */
export function resumeAnswer(env: KernelEnv, state: RunState, answer: AnswerState): Reaction {
  if (answer.unruled === true) return [state, [{ kind: 'rule_sentences', attempt: answer.attempt }]];
  const isUnanswered = answer.sentences.length === 0 && answer.attempt < COMPOSITIONS_MAX;
  return isUnanswered ? requestComposition(env, state, answer) : continueAnswer(env, state);
}
