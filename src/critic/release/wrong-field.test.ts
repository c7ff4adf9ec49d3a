/** A stated number or date proves only the field that the sentence means. */
import { expect, test } from 'vitest';
import type { AnswerFact } from '../../model/evidence/answer.ts';
import { checkSentence } from './release-check.ts';

const LOANS: AnswerFact = {
  ref: 'e1',
  tool: 'list_loans',
  value: {
    loans: [
      { title: 'The Overstory', renewals_left: 2 },
      { title: 'Educated', renewals_left: 0 },
      { title: 'Kitchen', renewals_left: 1 },
    ],
  },
  complete: ['/loans'],
};
const GIFTS: AnswerFact = {
  ref: 'e1',
  tool: 'get_profile',
  value: {
    year: 2024,
    currency: 'USD',
    gifts: [
      { date: '2024-03-02', amount: 250 },
      { date: '2024-09-17', amount: 400 },
    ],
    receipt: { sent_on: '2025-01-16' },
  },
  complete: ['/gifts'],
};
const fact = (value: AnswerFact['value']): AnswerFact => ({ ref: 'e1', tool: 'get_record', value });

test.each<[string, AnswerFact, right: string, wrong: string]>([
  [
    'a count of books is no number of renewals',
    LOANS,
    'You have three books out: The Overstory, Educated and Kitchen.',
    'You have two books out: The Overstory, Educated and Kitchen.',
  ],
  [
    'a fraction below one has no groups of thousands',
    fact({ repo: 'tern/api', size_mb: 412 }),
    'tern/api takes up 0.412 GB.',
    'tern/api takes up 0.412 MB.',
  ],
  ['the date of a receipt does not select gifts', GIFTS, 'In 2024 you made two gifts.', 'In 2025 you made two gifts.'],
  [
    'the date of a receipt is no date of a sum',
    GIFTS,
    'The two gifts sum to $650.',
    'The two gifts of 2025 sum to $650.',
  ],
  [
    'a time that a difference uses needs its own field',
    fact({ doors: '18:30', starts: '19:30' }),
    'Doors open at 6:30 pm, an hour before the start.',
    'Doors open at 7:30 pm, an hour before the start.',
  ],
  [
    'an offer that is not open until a day opens on that day',
    fact({ offer_id: 'O-7', status: 'open', expires_on: '2026-06-30' }),
    'The offer O-7 is open until 30 June 2026.',
    'The offer O-7 is not open until 30 June 2026.',
  ],
])('%s', (_, source, right, wrong) => {
  const rule = (text: string): string =>
    checkSentence({ text, request: 'What do you know?', facts: [source], refs: ['e1'] }).ruling;
  expect(rule(right)).toBe('proven');
  expect(rule(wrong)).not.toBe('proven');
});
