import { directAnswer, directReply, doneSteps, type RunState } from '../../kernel/index.ts';
import { type FactField, type ReleasedSentence, shownSentences } from '../../model/evidence/answer.ts';
import { SOURCE_MODEL } from '../../model/evidence/origin.ts';
import { REQUEST_REF, SCHEMA_REF } from '../../model/evidence/output.ts';

/** Whether a text rests on trusted sources alone, and the tools whose results it rests on. */
export interface TrustLabel {
  readonly trusted: boolean;
  readonly sources: readonly string[];
}

/** The label of an outcome's text. */
export interface TextLabel extends TrustLabel {
  /** Present if a model wrote the text and no fact supports it: the draft of a task that permits a direct answer. */
  readonly draft?: true;
}

/** Labels the texts of a run. A text is as trusted as the least trusted fact behind it. */
export interface TrustLabels {
  sentence(sentence: Pick<ReleasedSentence, 'fields' | 'released_by'>): TrustLabel;
  /** The answer: sentences, a reply of the model, or committed facts. */
  text(): TrustLabel;
  /** The text of the outcome. A draft of the model is never trusted there, because nothing has been checked. */
  outcome(): TextLabel;
  /** The source of a field: its tool, or `request` or `schema`. */
  sourceOf(ref: string): string;
}

export function trustLabels(state: RunState): TrustLabels {
  const facts = new Map(doneSteps(state).map(({ fact }) => [fact.evidenceId, fact]));
  const { exposed } = state.planning;
  const label = (refs: readonly string[], isClean: boolean): TrustLabel => ({
    trusted: isClean && refs.every((ref) => facts.get(ref)?.trusted === true),
    sources: [...new Set(refs.flatMap((ref) => facts.get(ref)?.source ?? []))],
  });
  const refsIn = (fields: readonly FactField[]): readonly string[] => [...new Set(fields.map(({ ref }) => ref))];
  // A judge rules on words that the check cannot prove, so that words of outsiders may have got into them.
  const sentence: TrustLabels['sentence'] = ({ fields, released_by }) =>
    label(refsIn(fields), !exposed || (released_by === undefined && fields.length > 0));
  const text: TrustLabels['text'] = () => {
    const released = shownSentences(state.ending.answer?.released ?? []);
    if (released.length > 0 && state.ending.response !== null) return join(released.map(sentence));
    if ((directAnswer(state) ?? directReply(state)) !== null) return { trusted: !exposed, sources: [SOURCE_MODEL] };
    // Without sentences of its own, an answer may state every committed fact.
    return state.ending.response === null ? label([], !exposed) : label([...facts.keys()], true);
  };
  return {
    sentence,
    text,
    outcome: () =>
      directAnswer(state) === null || state.ending.response === null
        ? text()
        : { trusted: false, sources: [SOURCE_MODEL], draft: true },
    sourceOf: (ref) => (ref === REQUEST_REF || ref === SCHEMA_REF ? ref : (facts.get(ref)?.source ?? ref)),
  };
}

const join = (labels: readonly TrustLabel[]): TrustLabel => ({
  trusted: labels.every(({ trusted }) => trusted),
  sources: [...new Set(labels.flatMap(({ sources }) => sources))],
});
