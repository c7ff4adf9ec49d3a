/** Tests which values a request states: complete words, numbers, dates and times, and no guesses. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../model/json/freeze.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import { indexRequest, statedAt } from './stated-request.ts';

const PROMPT =
  "Am I free at 12:00 on 2024-05-19? If so, create an event of one hour with Sarah, titled 'Lunch', at “Café Zoë”. " +
  'Her address is sarah.connor@gmail.com. Send $1,200.50 to GB29NWBK60161331926819 on May 20th, 2024 at 5 pm, for 10% or 15 % of it.';

const place = (leaf: unknown, inputs: JsonObject = {}, name = 'x'): string | null =>
  statedAt(indexRequest(PROMPT, deepFreeze(inputs), []), name, leaf as never);

describe('stated', () => {
  test.each([
    ['a name in quotes', 'Lunch'],
    ['words in typographic quotes', 'Café Zoë'],
    ['the same letters composed otherwise', 'Café Zoe\u0308'],
    ['words with more blanks between them', 'create  an event'],
    ['an address at the end of a sentence', 'sarah.connor@gmail.com'],
    ['an account', 'GB29NWBK60161331926819'],
    ['a number by its value', 1200.5],
    ['a day', '2024-05-19'],
    ['a day in words', '2024-05-20'],
    ['a day and a time', '2024-05-19 12:00'],
    ['the same in ISO 8601', '2024-05-19T12:00:00'],
    ['a said time and a said span later', '2024-05-19 13:00'],
    ['a time of the afternoon', '2024-05-20 17:00'],
  ])('%s', (_, leaf) => expect(place(leaf)).toBe('statement'));

  test('an input by its pointer, also as a part of its text', () => {
    expect(place('ord_881', { order: { id: 'ord_881' } })).toBe('inputs/order/id');
    expect(place('ord_881', { note: 'about ord_881, please' })).toBe('inputs/note');
    expect(place(1840, { amounts: [1, 1840] })).toBe('inputs/amounts/1');
    expect(place(true, { recurring: true }, 'recurring')).toBe('inputs/recurring');
  });
});

describe('not stated', () => {
  test.each([
    ['a part of an address', 'connor@gmail.com'],
    ['an address that goes on', 'sarah.connor@gmail.com.evil.example'],
    ['a part of an account', 'GB29'],
    ['a part of a number', 200.5],
    ['a number before a percent sign', 10],
    ['a number and a percent sign', 15],
    ['a part of a day as a number', 19],
    ['another case', 'lunch'],
    ['another day', '2024-05-21'],
    ['a time nobody said', '2024-05-19 14:00'],
    ['a zone nobody said', '2024-05-19T12:00Z'],
    ['a second nobody said', '2024-05-19 12:00:30'],
    ['nothing', ''],
    ['a blank', ' '],
    ['null', null],
    ['yes', true],
    ['an empty list', []],
    ['an empty object', {}],
    ['words over a line break', 'create an\r\nevent'],
    ['a line break at the end', 'Lunch\n'],
    ['a tab', 'create\tan event'],
    ['a mark of byte order', '\ufeffLunch'],
    ['a character that cannot be seen', 'Lu\u200bnch'],
    ['words that turn the reading round', 'Lunch\u202e'],
    ['a separator of lines', 'create an\u2028event'],
  ])('%s', (_, leaf) => expect(place(leaf)).toBeNull());

  test('a boolean under another name', () => expect(place(true, { urgent: true }, 'recurring')).toBeNull());

  test('a value in an input of another author', () => {
    const request = indexRequest('Pay the bill', { bill: 'Pay US1 99', note: 'US2' }, ['bill']);
    expect(statedAt(request, 'to', 'US1')).toBeNull();
    expect(statedAt(request, 'amount', 99)).toBeNull();
    expect(statedAt(request, 'to', 'US2')).toBe('inputs/note');
  });

  test('a day without a year', () => {
    expect(statedAt(indexRequest('on May 26th', {}, []), 'day', '2024-05-26')).toBeNull();
  });
});

describe('a sentence with a negation', () => {
  const stated = (statement: string, leaf: string | number): boolean =>
    statedAt(indexRequest(statement, {}, []), 'x', leaf) !== null;

  test.each([
    'Never pay DE89.',
    'Do not pay DE89, whatever they say.',
    'Don’t pay 50 to DE89!',
    "You mustn't use DE89",
    'Pay anyone except DE89.',
    'Pay them instead of DE89.',
    'At 3 p.m. pay nobody, least of all on 2024-05-19 Dr. Evil DE89.',
    'Zahle niemals an DE89.',
    'Do not pay:\n- DE89\n- 50',
  ])('states nothing: %s', (sentence) => {
    expect(stated(sentence, 'DE89')).toBe(false);
    expect(stated(sentence, 50)).toBe(false);
    expect(stated(sentence, '2024-05-19')).toBe(false);
    expect(stated(`Go ahead today. ${sentence} Thank you.`, 'DE89')).toBe(false);
  });
  test('does not affect other sentences', () => {
    expect(stated('Never pay DE89. Pay 50 to DE11.', 'DE11')).toBe(true);
    expect(stated('Never pay DE89 twice. Pay DE89 once.', 'DE89')).toBe(true);
    expect(stated('Pay DE11 now! Never mind the rest. Today at noon.', 'now! Today')).toBe(false);
  });
});

test('a number that can be read in two ways is not stated', () => {
  const stated = (statement: string, leaf: number): boolean =>
    statedAt(indexRequest(statement, {}, []), 'x', leaf) !== null;
  expect(stated('Pay 1.500 EUR', 1.5)).toBe(false);
  expect(stated('Pay 1.500 EUR', 1500)).toBe(false);
  expect(stated('Pay 0.125 EUR and 1,500 and 2.50', 0.125)).toBe(true);
  expect(stated('Pay 0.125 EUR and 1,500 and 2.50', 1500)).toBe(true);
  expect(stated('Pay 0.125 EUR and 1,500 and 2.50', 2.5)).toBe(true);
});

test('a stated value stays stated in any surrounding text, and a value from elsewhere is never stated', () => {
  const word = fc.stringMatching(/^[0-9@.]{1,12}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.nat(), (words, pick) => {
      const request = indexRequest(words.join(' '), {}, []);
      const chosen = words[pick % words.length] ?? '';
      expect(statedAt(request, 'x', chosen)).toBe('statement');
      expect(statedAt(request, 'x', `${chosen}~`)).toBeNull();
    }),
  );
});

test('finds words in any text that contains them as complete words', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', ' '), { maxLength: 30 }).map((drawn) => drawn.join(''));
  fc.assert(
    fc.property(letters, letters, (text, leaf) => {
      const words = leaf.trim().replaceAll(/ +/gu, ' ');
      const holds = words !== '' && ` ${text.replaceAll(/ +/gu, ' ')} `.includes(` ${words} `);
      expect(statedAt(indexRequest(text, {}, []), 'x', leaf) !== null).toBe(holds);
    }),
  );
});

test('long runs of punctuation do not slow down the search', () => {
  const request = indexRequest('"'.repeat(50_000), {}, []);
  expect(statedAt(request, 'x', '"')).toBeNull();
  expect(statedAt(indexRequest('1-'.repeat(50_000), {}, []), 'x', '2024-01-01')).toBeNull();
});

test.each([
  ['one word without end', 'a'.repeat(90_000), 'a'.repeat(45_000)],
  ['the same word without end', 'a '.repeat(45_000), `${'a '.repeat(20_000)}b`],
  ['the same short words', 'a '.repeat(45_000), `${'a '.repeat(1_900)}b`],
  ['marks around every word', '((((((((a)))))))) '.repeat(5_000), 'a b'],
  ['sentences without end', 'aaa. '.repeat(20_000), 'aaa. b'],
])('searches a long request fast: %s', (_, statement, leaf) => {
  const from = performance.now();
  expect(statedAt(indexRequest(statement, {}, []), 'x', leaf)).toBeNull();
  expect(performance.now() - from).toBeLessThan(2_000);
});
