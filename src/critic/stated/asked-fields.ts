import type { AnswerFact, FactField } from '../../model/evidence/answer.ts';
import type { StatedBy } from '../../model/text/state-value.ts';
import { textWords } from '../release/facts.ts';
import { stem } from '../release/tokens.ts';
import { FILLER_WORDS, FUNCTION_WORDS } from '../release/words/lexicon.ts';
import { type AnswerField, answerFieldsOf, type Candidate } from './answer-fields.ts';
import { asksForAmount } from './select-fields.ts';

/**
 * The fields that a question asks for by name, one list per word of it. Every word of a field's name must stand in the
 * question. Columns of lists, identifiers and values that the question states itself are left out. A request without a
 * question mark asks for an action, and its words name no field.
 */
export function askedFields(
  request: string,
  facts: readonly AnswerFact[],
  specOf: (tool: string) => StatedBy,
): readonly (readonly FactField[])[] {
  if (!request.includes('?')) return [];
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

/** Only the words of the field themselves name it here: a synonym may mean something else. */
const isAskedBy = (word: string, words: ReadonlySet<string>, field: AnswerField): boolean =>
  asksForAmount(word, field) || (field.name.has(word) && [...field.name].every((name) => words.has(name)));

const isStated = ({ values }: AnswerField, words: ReadonlySet<string>): boolean =>
  values.size > 0 && [...values].every((value) => words.has(value));
