import type { ComposedSentence, RewrittenSentence, SentenceRuling } from '../../model/evidence/answer.ts';

/** Two sentences are equal if they differ only in spaces and letter case. */
const keyOf = ({ text }: ComposedSentence): string => text.trim().replaceAll(/\s+/gu, ' ').toLowerCase();

/** Drops empty sentences and repetitions, of each other and of sentences that the answer has already. */
export function withoutRepetitions<S extends ComposedSentence>(
  sentences: readonly S[],
  accepted: readonly ComposedSentence[] = [],
): readonly S[] {
  const seen = new Set(['', ...accepted.map(keyOf)]);
  return sentences.filter((sentence) => {
    const key = keyOf(sentence);
    return !seen.has(key) && seen.add(key);
  });
}

/** Sentences of a rewrite, and for each the place in the answer that it takes. */
export interface PlacedSentences {
  readonly sentences: readonly ComposedSentence[];
  readonly places: readonly number[];
}

/**
 * Gives each rewritten sentence the place of the sentence that it replaces: by its number, or in order if there are as
 * many as were asked for, or else by a cited field that only these two share. A sentence without a clear place is
 * dropped, and facts replace a rejected sentence without a rewrite.
 */
export function placeRewrites(
  written: readonly RewrittenSentence[],
  answer: readonly ComposedSentence[],
  rejected: readonly SentenceRuling[],
): PlacedSentences {
  const isRejected = new Set(rejected.map(({ index }) => index));
  const accepted = answer.filter((_, index) => !isRejected.has(index));
  const usable = withoutRepetitions(written, accepted);
  const asked = rejected.map(({ index }) => index);
  const wanted = usable.some(({ number }) => number !== undefined)
    ? usable.map(({ number }) => asked[(number ?? 0) - 1])
    : usable.length === asked.length
      ? asked
      : usable.map((sentence) => onlyMatch(sentence, usable, asked, answer));
  const placed = usable.flatMap(({ text, cites }, at) => {
    const place = wanted[at];
    const isFirst = place !== undefined && wanted.indexOf(place) === at;
    return isFirst ? [{ sentence: { text, cites }, place }] : [];
  });
  return { sentences: placed.map(({ sentence }) => sentence), places: placed.map(({ place }) => place) };
}

/** The place of the only rejected sentence that shares a cited field with this one, and with no other rewrite. */
function onlyMatch(
  sentence: ComposedSentence,
  written: readonly ComposedSentence[],
  asked: readonly number[],
  answer: readonly ComposedSentence[],
): number | undefined {
  const [place, ...others] = asked.filter((index) => sharesField(sentence, answer[index]));
  if (place === undefined || others.length > 0) return undefined;
  return written.some((other) => other !== sentence && sharesField(other, answer[place])) ? undefined : place;
}

const sharesField = ({ cites }: ComposedSentence, other: ComposedSentence | undefined): boolean =>
  cites.some(({ ref, pointer }) => other?.cites.some((cite) => cite.ref === ref && cite.pointer === pointer));
