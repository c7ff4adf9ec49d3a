import type { AnswerFact, FactField, SentenceCase } from '../../model/evidence/answer.ts';
import type { Json } from '../../model/json/json.ts';
import { jsonAt } from '../../model/json/json-at.ts';
import { isAtOrBelow } from '../../model/json/pointer.ts';
import { effectClaims } from './acts.ts';
import { tokenize } from './tokens.ts';

/**
 * Whether an agent's judge may rule on a sentence that is not provable. It cites fields that exist; none of them is a
 * text of an outsider, a hidden part or a result of a call that changed something; and it claims no effect.
 */
export function isJudgeable({ text, facts }: SentenceCase, cites: readonly FactField[]): boolean {
  const areFieldsOpen = cites.every(({ ref, pointer }) => {
    const fact = facts.find((one) => one.ref === ref);
    return fact !== undefined && isOpenField(fact, pointer);
  });
  return cites.length > 0 && areFieldsOpen && effectClaims(tokenize(text)).length === 0;
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
