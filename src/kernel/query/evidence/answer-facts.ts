import {
  type AnswerFact,
  type FactField,
  type ReleaseAnswer,
  type SentenceCase,
  shownSentences,
} from '../../../model/evidence/answer.ts';
import { handlePlaces, placesIn } from '../../../model/json/sealed.ts';
import { outsiderTexts } from '../../../model/text/outsider-texts.ts';
import type { KernelEnv } from '../../env.ts';
import type { AnswerState } from '../../state/answer-state.ts';
import type { Fact, RunState } from '../../state/run-state.ts';
import { doneSteps } from '../plan/steps.ts';
import { specOf } from '../plan/tools.ts';

/** How many facts a reason names. */
const REFS_NAMED_MAX = 20;

/** The committed facts that an answer may rest on, in commit order. */
export function answerFacts(env: KernelEnv, state: RunState): readonly AnswerFact[] {
  return usableFacts(env, state).map(({ step, fact }) => toAnswerFact(env, step.tool, fact));
}

/** The committed steps whose facts may be shown, in commit order. Words of a model and disputed evidence are left out. */
export function usableFacts(env: KernelEnv, state: RunState): ReturnType<typeof doneSteps> {
  const { disputed } = state.work;
  return doneSteps(state).filter(
    ({ step, fact }) => specOf(env, step.tool).speaks === undefined && !disputed.includes(fact.evidenceId),
  );
}

function toAnswerFact(env: KernelEnv, tool: string, fact: Fact): AnswerFact {
  const { privacy, answers, side_effect } = specOf(env, tool);
  const hidden = [...new Set([...placesIn(fact.value, privacy?.seals ?? []), ...handlePlaces(fact.value)])];
  const untrusted = fact.trusted ? [] : outsiderTexts(fact.value, '');
  const complete = answers?.complete ?? [];
  return {
    ref: fact.evidenceId,
    tool,
    value: fact.value,
    effect: side_effect,
    ...(hidden.length === 0 ? {} : { hidden }),
    ...(untrusted.length === 0 ? {} : { untrusted }),
    ...(fact.trusted ? {} : { trusted: false }),
    ...(complete.length === 0 ? {} : { complete }),
  };
}

/** The case that the release check decides for one sentence of the answer. */
export function sentenceCase(env: KernelEnv, state: RunState, { sentences }: AnswerState, index: number): SentenceCase {
  const { text = '', cites = [] } = sentences[index] ?? {};
  return {
    text,
    request: state.intake.goal?.statement ?? '',
    facts: answerFacts(env, state),
    refs: [...new Set(cites.map(({ ref }) => ref))],
  };
}

/** A sentence that is not proven and cites a fact that does not exist gets this as its reason, for the rewrite. */
export function withUnknownRef({ facts, refs }: SentenceCase, ruled: ReleaseAnswer): ReleaseAnswer {
  const unknown = refs.find((ref) => facts.every((fact) => fact.ref !== ref));
  if (ruled.ruling === 'proven' || unknown === undefined) return ruled;
  const known = facts.map(({ ref }) => ref).slice(0, REFS_NAMED_MAX);
  return {
    ...ruled,
    reason: `there is no fact ${unknown}; there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`,
  };
}

/** The fields that a word of the request asks for while no shown sentence rests on a fact with such a field. */
export function unansweredFields({ asked = [], released }: AnswerState): readonly FactField[] {
  const shown = shownSentences(released);
  const refs = new Set(shown.flatMap(({ fields }) => fields.map(({ ref }) => ref)));
  // Without any sentence, the compiled response is the answer.
  return shown.length === 0 ? [] : asked.filter((fields) => fields.every(({ ref }) => !refs.has(ref))).flat();
}
