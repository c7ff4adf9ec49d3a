import type { AnswerFact, FactField } from '../../model/evidence/answer.ts';
import type { StatedBy } from '../../model/text/state-value.ts';
import { isSynonym, textWords } from '../release/facts.ts';
import { stem } from '../release/tokens.ts';
import { FILLER_WORDS, FUNCTION_WORDS } from '../release/words/lexicon.ts';
import { type AnswerField, answerFieldsOf, type Candidate } from './answer-fields.ts';
import { asksForAmount } from './select-fields.ts';

/**
 * The fields that the request asks for by name, one list per word of the request. Every word of a field's name must stand
 * in the request. Columns of lists, identifiers and values that the request states itself are left out.
 */
export function askedFields(
  request: string,
  facts: readonly AnswerFact[],
  specOf: (tool: string) => StatedBy,
): readonly (readonly FactField[])[] {
  const words = textWords(request).filter((word) => !FUNCTION_WORDS.has(word) && !FILLER_WORDS.has(word));
  const stems = new Set(words.map(stem));
  const fields = facts.flatMap(({ ref, tool, value, hidden = [] }) => {
    const at: Candidate = { value, tool, hidden, because: 'observed', asked: '' };
    return answerFieldsOf(at, specOf(tool)).map((field) => ({ ref, field }));
  });
  return [...stems].flatMap((word) => {
    const named = fields.filter(({ field }) => isAskedBy(word, stems, field));
    const isPlain = named.every(({ field }) => field.list === null && field.kind !== 'id' && !isStated(field, stems));
    return isPlain && named.length > 0 ? [named.map(({ ref, field }) => ({ ref, pointer: field.pointer }))] : [];
  });
}

function isAskedBy(word: string, words: ReadonlySet<string>, field: AnswerField): boolean {
  if (asksForAmount(word, field)) return true;
  const names = [...field.name];
  return (
    names.some((name) => isSynonym(name, word)) &&
    names.every((name) => [...words].some((other) => isSynonym(name, other)))
  );
}

const isStated = ({ values }: AnswerField, words: ReadonlySet<string>): boolean =>
  values.size > 0 && [...values].every((value) => words.has(value));
