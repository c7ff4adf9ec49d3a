import type { AnswerFact, FactField, SentenceCase } from '../../model/evidence/answer.ts';
import type { Json } from '../../model/json/json.ts';
import { jsonAt } from '../../model/json/json-at.ts';
import { isAtOrBelow } from '../../model/json/pointer.ts';
import { effectClaims } from './acts.ts';
import { indexFacts, textWords } from './facts.ts';
import { areTooLarge } from './readable.ts';
import { statedStems } from './refuse.ts';
import { stem, tokenize } from './tokens.ts';
import { STRONG_EFFECTS } from './words/act-words.ts';
import { FUNCTION_WORDS } from './words/lexicon.ts';

/**
 * Whether an agent's judge may rule on a sentence that is not provable. It cites fields that exist; none of them is a
 * text of an outsider, a hidden part or a result of a call that changed something; it claims no effect, and it has no
 * word that only an outsider wrote.
 */
export function isJudgeable(sentence: SentenceCase, cites: readonly FactField[]): boolean {
  const areFieldsOpen = cites.every(({ ref, pointer }) => {
    const fact = sentence.facts.find((one) => one.ref === ref);
    return fact !== undefined && isOpenField(fact, pointer);
  });
  if (areTooLarge(sentence.facts)) return false;
  const claims = effectClaims(tokenize(sentence.text));
  return cites.length > 0 && areFieldsOpen && claims.length === 0 && !hasForeignWord(sentence);
}

function isOpenField({ value, effect, trusted, hidden = [], untrusted = [] }: AnswerFact, pointer: string): boolean {
  const isMarked = [...hidden, ...untrusted].some((mark) => isAtOrBelow(pointer, mark) || isAtOrBelow(mark, pointer));
  const field = jsonAt(value, pointer);
  if (effect !== false || isMarked || field === undefined) return false;
  // One word of an outsider is a text too, although it cannot carry an instruction.
  return trusted !== false || !hasText(field);
}

const hasText = (value: Json): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && Object.values(value).some(hasText));

/**
 * Whether a sentence names an effect, or uses a word of an outsider's text, that neither the cited fields nor the request
 * have. The judge does not see the texts of outsiders, so that it cannot tell that a sentence repeats one.
 */
function hasForeignWord({ text, request, facts, refs }: SentenceCase): boolean {
  const { leaves } = indexFacts(facts);
  const open = leaves.filter(({ ref, hidden, untrusted }) => refs.includes(ref) && !hidden && !untrusted);
  const stated = statedStems(open);
  const asked = new Set(textWords(request).map(stem));
  const outside = new Set(leaves.flatMap(({ untrusted, words }) => (untrusted ? words.map(stem) : [])));
  return textWords(text)
    .filter((word) => word.length > 2 && !FUNCTION_WORDS.has(word))
    .map(stem)
    .some((word) => !stated.has(word) && (STRONG_EFFECTS.has(word) || (outside.has(word) && !asked.has(word))));
}
