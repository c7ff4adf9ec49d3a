import type { EventOf } from '../../model/events/event.ts';
import type { ReleasedSentence, SentenceRuling } from '../../model/evidence/answer.ts';
import { isHeld } from '../../model/run/session-status.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import { settle } from '../budget/budget.ts';
import { answerOf, continueAnswer, judgeableRulings, modelNeed } from '../flow/people/compose-answer.ts';
import type { AnswerState } from '../state/answer-state.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import { hasRule } from '../state/rules.ts';
import type { RunState } from '../state/run-state.ts';
import { land, NO_EFFECTS, type Reacts, raise } from '../transition/reaction.ts';

const withAnswer = (state: RunState, answer: AnswerState): RunState => ({
  ...state,
  ending: { ...state.ending, answer },
});

/** Charges a composition or a judgement. A provider that took more than was reserved stops the run. */
function settleModel(
  state: RunState,
  reserved: ToolCost | null,
  spent: ToolCost,
  role: 'executor' | 'critic',
): RunState {
  if (state.budget === null) throw impossibleEvent('an answer of a model before the run has a budget', state);
  const settled = settle(state.budget, modelNeed(reserved), modelNeed(spent), role);
  const paid: RunState = { ...state, budget: settled.budget };
  if (settled.overrun === null) return paid;
  return raise(paid, {
    code: 'BUDGET_EXHAUSTED',
    reason: 'provider_overrun',
    detail: { dimension: settled.overrun },
  });
}

/** Charges a composition and has its new sentences checked. Without a usable one, the deterministic form answers. */
export const onAnswerComposed: Reacts<'answer_composed'> = (env, state, event) => {
  const landed = land(state, 'answer');
  const answer = answerOf(landed);
  if (event.attempt !== answer.attempt)
    throw impossibleEvent(`composition ${event.attempt}, not ${answer.attempt}`, state);
  const paid = settleModel(landed, env.limits.composerCost, event.spent, 'executor');
  if (paid.ending.stops.length > 0) return [paid, NO_EFFECTS];
  if (event.failure !== undefined) {
    // A paused run composes again when it continues.
    return isHeld(paid.session.status) ? [paid, NO_EFFECTS] : continueAnswer(env, paid);
  }
  const rewritten = rewrite(paid, answer, event);
  // A paused run goes on with its answer when it continues.
  if (isHeld(paid.session.status)) return [withAnswer(paid, { ...rewritten, unruled: true }), NO_EFFECTS];
  return [withAnswer(paid, rewritten), [{ kind: 'rule_sentences', attempt: event.attempt }]];
};

/** The first composition is the answer; a later one replaces sentences that were not accepted, each at its place. */
function rewrite(
  state: RunState,
  answer: AnswerState,
  { sentences, places, asked }: EventOf<'answer_composed'>,
): AnswerState {
  if (answer.sentences.length === 0) return { ...answer, sentences, ...(asked === undefined ? {} : { asked }) };
  const rejected = answer.rulings.filter(({ ruling }) => ruling !== 'proven').map(({ index }) => index);
  const taken = places ?? rejected;
  if (taken.some((place) => !rejected.includes(place)))
    throw impossibleEvent('a rewrite of an accepted sentence', state);
  const replaced = answer.sentences.map((sentence, index) => sentences[taken.indexOf(index)] ?? sentence);
  return { ...answer, sentences: replaced };
}

/**
 * Releases the sentences up to the first one that was not accepted, and has the composer rewrite the others once. After
 * that, everything is released: proven sentences as composed, the others if a judge supports them or in the
 * deterministic form.
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
  const renewed = hasRule(state, 'rulings_renew')
    ? { ...state, session: { ...state.session, lastSeen: state.now } }
    : state;
  return continueAnswer(env, withAnswer(renewed, { ...ruled, rulings }));
};

/** Charges the judge and releases the rest of the answer. A judge that failed supports no sentence. */
export const onSentencesJudged: Reacts<'sentences_judged'> = (env, state, event) => {
  const landed = land(state, 'verdicts');
  const answer = answerOf(landed);
  const asked = new Set(judgeableRulings(answer).map(({ index }) => index));
  for (const { index } of event.verdicts)
    if (!asked.delete(index)) throw impossibleEvent(`a verdict on sentence ${index}, which was not asked for`, state);
  const paid = settleModel(landed, env.limits.answerJudgeCost, event.spent, 'critic');
  if (paid.ending.stops.length > 0) return [paid, NO_EFFECTS];
  const isPaused = isHeld(paid.session.status);
  // A paused run asks a judge that failed again when it continues.
  if (isPaused && event.failure !== undefined) return [paid, NO_EFFECTS];
  const judged = withAnswer(paid, { ...answer, verdicts: event.verdicts });
  return isPaused ? [judged, NO_EFFECTS] : continueAnswer(env, judged);
};

/** Records a released sentence and continues with the next one. */
export const onSentenceReleased: Reacts<'sentence_released'> = (env, state, event) => {
  const answer = answerOf(state);
  if (event.index !== answer.released.length) throw impossibleEvent(`sentence ${event.index} out of order`, state);
  const { text, form, fields, released_by } = event;
  const mark = released_by === undefined ? {} : { released_by };
  const released: readonly ReleasedSentence[] = [...answer.released, { text, form, fields, ...mark }];
  return continueAnswer(env, withAnswer(state, { ...answer, released }));
};
