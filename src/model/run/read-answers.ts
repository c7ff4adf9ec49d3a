import { Fault } from '../fault/fault.ts';
import { guardInput } from '../fault/guard-input.ts';

/** The part of `outcome.question` that an answer depends on. */
export interface QuestionFields {
  readonly fields: readonly string[];
  readonly readings: readonly string[];
}

/**
 * Reads the text of a user as the answers to a question, for `sessions.answer`. A question with several fields needs one
 * line for each, in the order of the fields, with or without the name of the field.
 */
export const readAnswers: (text: string, input1: QuestionFields) => Readonly<Record<string, string>> = guardInput(
  'readAnswers',
  (text: string, { fields, readings }: QuestionFields): Readonly<Record<string, string>> => {
    const lines = fields.length === 1 ? [text] : text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length !== fields.length) {
      throw new Fault('input_invalid', `write one line for each of these: ${fields.join(', ')}`, { path: '/messages' });
    }
    const answers = fields.map((field, index) => {
      const line = (lines[index] ?? '').trim();
      const value = line.startsWith(`${field}:`) ? line.slice(field.length + 1).trim() : line;
      // A choice must name one of the offered readings exactly.
      return [field, readings.find((reading) => reading.toLowerCase() === value.toLowerCase()) ?? value] as const;
    });
    return Object.fromEntries(answers);
  },
);
