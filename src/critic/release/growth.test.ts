/** The check ends soon: the time for a long sentence grows about as the facts do. */
import { expect, test } from 'vitest';
import type { Json } from '../../model/json/json.ts';
import { checkSentence } from './release-check.ts';

const ROWS = (size: number): Json => ({
  currency: 'EUR',
  rows: Array.from({ length: size / 4 }, (_, at) => ({
    name: `Row ${at}`,
    price_cents: (at % 7) * 100,
    count: at % 9,
    open: at % 2 === 0,
  })),
});
const FIELDS = (size: number): Json =>
  Object.fromEntries(Array.from({ length: size }, (_, at) => [`total_${at}`, at % 9]));
const NAMES = (size: number): Json => ({
  rows: Array.from({ length: size }, (_, at) => ['Ada', 'Ben', 'Cora', 'Dan'][at % 4] ?? ''),
});

/** The shortest of three runs, in milliseconds. */
function timeOf(text: string, value: Json): number {
  const facts = [{ ref: 'e1', tool: 'rows.list', value, effect: false, complete: ['/rows'] }];
  const runs = Array.from({ length: 3 }, () => {
    const start = performance.now();
    checkSentence({ text, request: 'How many rows are there?', facts, refs: ['e1'] });
    return performance.now() - start;
  });
  return Math.min(...runs);
}

test.each([
  ['records', ROWS, 'Row 3 and 4 and the total 5 is open, '],
  ['fields', FIELDS, '4 more than 5 and the total of 6 and '],
  ['names', NAMES, 'Ada, Ben, Cora and Dan are open rows, '],
])('%s', { timeout: 60_000 }, (_, factOf, part) => {
  const text = part.repeat(1_000 / part.length);
  const [few, many] = [timeOf(text, factOf(240)), timeOf(text, factOf(1_920))];
  expect(many / few).toBeLessThan(8 * 4);
});
