import type { ReleasedSentence, SentenceRuling } from '../../model/evidence/answer.ts';
import { isHeld } from '../../model/run/session-status.ts';
import { settle } from '../budget/budget.ts';
import { answerOf, composerNeed, continueAnswer, releaseAnswerNow } from '../flow/people/compose-answer.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { AnswerState, RunState } from '../state/run-state.ts';
import { land, NO_EFFECTS, type Reacts, raise } from '../transition/reaction.ts';

const withAnswer = (state: RunState, answer: AnswerState): RunState => ({
  ...state,
  ending: { ...state.ending, answer },
});

/** Charges a composition and has its new sentences checked. Without a usable one, the deterministic form answers. */
export const onAnswerComposed: Reacts<'answer_composed'> = (env, state, event) => {
  const landed = land(state, 'answer');
  const answer = answerOf(landed);
  if (landed.budget === null || event.attempt !== answer.attempt)
    throw impossibleEvent(`composition ${event.attempt}, not ${answer.attempt}`, state);
  const { input_tokens, output_tokens, microusd: cost_microusd } = event.spent;
  const settled = settle(landed.budget, composerNeed(env), { input_tokens, output_tokens, cost_microusd }, 'executor');
  const paid: RunState = { ...landed, budget: settled.budget };
  if (settled.overrun !== null) {
    const detail = { dimension: settled.overrun };
    return [raise(paid, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail }), NO_EFFECTS];
  }
  if (paid.ending.stops.length > 0) return [paid, NO_EFFECTS];
  if (event.failure !== undefined) {
    // A paused run composes again when it continues.
    return isHeld(paid.session.status) ? [paid, NO_EFFECTS] : releaseAnswerNow(paid, answer);
  }
  const rewritten = rewrite(answer, event.sentences);
  // A paused run goes on with its answer when it continues.
  if (isHeld(paid.session.status)) return [withAnswer(paid, { ...rewritten, unruled: true }), NO_EFFECTS];
  return [withAnswer(paid, rewritten), [{ kind: 'rule_sentences', attempt: event.attempt }]];
};

/** The first composition is the answer; a later one replaces, in order, the sentences that were not accepted. */
function rewrite(answer: AnswerState, sentences: AnswerState['sentences']): AnswerState {
  if (answer.sentences.length === 0) return { ...answer, sentences };
  const places = answer.rulings.filter(({ ruling }) => ruling !== 'proven').map(({ index }) => index);
  const replaced = answer.sentences.map((sentence, index) => sentences[places.indexOf(index)] ?? sentence);
  return { ...answer, sentences: replaced };
}

/**
 * Releases the sentences up to the first one that was not accepted, and has the composer rewrite the others once. After
 * that, everything is released: proven sentences as composed, the others in the deterministic form.
 */
export const onSentencesRuled: Reacts<'sentences_ruled'> = (env, state, event) => {
  const answer = answerOf(state);
  if (event.attempt !== answer.attempt) throw impossibleEvent(`rulings on composition ${event.attempt}`, state);
  const latest = new Map<number, SentenceRuling>(answer.rulings.map((ruling) => [ruling.index, ruling]));
  for (const ruling of event.rulings) latest.set(ruling.index, ruling);
  const rulings = answer.sentences.flatMap((_, index) => latest.get(index) ?? []);
  if (rulings.length !== answer.sentences.length)
    throw impossibleEvent('an answer with sentences without a ruling', state);
  const { unruled: _, ...ruled } = answer;
  return continueAnswer(env, withAnswer(state, { ...ruled, rulings }));
};

/** Records a released sentence and continues with the next one. */
export const onSentenceReleased: Reacts<'sentence_released'> = (env, state, event) => {
  const answer = answerOf(state);
  if (event.index !== answer.released.length) throw impossibleEvent(`sentence ${event.index} out of order`, state);
  const { text, form, fields } = event;
  const released: readonly ReleasedSentence[] = [...answer.released, { text, form, fields }];
  return continueAnswer(env, withAnswer(state, { ...answer, released }));
};
