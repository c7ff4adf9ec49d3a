import { wordsOf } from './words.ts';

/**
 * Words that turn round what is said beside them, in the languages most requests are written in. One too many costs a
 * question, one too few grants what was forbidden, so words that only may do so are among them.
 */
const NEGATIONS: ReadonlySet<string> = new Set(
  [
    'not no never none nobody nothing nowhere neither nor cannot cant dont wont without except excluding exclude',
    'avoid stop refuse reject forbid forbidden prohibited block blocked ignore skip instead rather unless but',
    'nicht nichts nie niemals niemand kein keine keinen keinem keiner keines ohne außer ausser statt anstatt weder',
    'sondern vermeide ne pas jamais aucun aucune sans sauf ni nunca jamás jamas sin ningún ninguna excepto non mai',
    'senza nessuno tranne não nao nunca sem niet nooit geen zonder nie bez nigdy',
  ]
    .join(' ')
    .split(' '),
);
/** Don’t, won't, isn't: the ending is enough. */
const CONTRACTED = /n['’`´]t$/u;
/** Where a sentence ends: not after an initial or a title, such as in "p.m. on" or "Dr. Who". */
const SENTENCE_END = /(?:[!?]["'”’»)\]]*|[^\s.]{3}\.["'”’»)\]]*) /gu;
/** Stands for a sentence that is left out. No value holds it, so none reaches from one side of it to the other. */
const LEFT_OUT = '\u0000';

/** A folded text without the sentences in which something is denied: what stands only there was not asked for. */
export function affirmed(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const { index, 0: end } of text.matchAll(SENTENCE_END)) {
    kept.push(text.slice(from, index + end.length - 1));
    from = index + end.length;
  }
  kept.push(text.slice(from));
  return kept.map((sentence) => (isNegated(sentence) ? LEFT_OUT : sentence)).join(' ');
}

const isNegated = (sentence: string): boolean =>
  wordsOf(sentence.toLowerCase()).some((word) => NEGATIONS.has(word) || CONTRACTED.test(word));
