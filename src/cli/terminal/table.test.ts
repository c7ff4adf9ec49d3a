import { expect, test } from 'vitest';
import { duration } from '../views/instants.ts';
import { printed } from './printed.ts';
import { pairs, table } from './table.ts';

test('columns are as wide as what stands in them, colours aside, and the last is cut to the screen', () => {
  const rows = [
    ['a', '\u001b[32mgood\u001b[39m', 'short'],
    ['longer', 'bad', 'a text that does not fit on this line'],
  ];
  expect(table(['ID', 'STATE', 'WHY'], rows, 30).split('\n')).toEqual([
    'ID      STATE  WHY',
    'a       \u001b[32mgood\u001b[39m   short',
    'longer  bad    a text that do…',
  ]);
});

test('pairs leave out what is not there', () => {
  expect(
    pairs([
      ['a', '1'],
      ['long', null],
      ['bc', '2'],
    ]),
  ).toEqual(['a   1', 'bc  2']);
});

test('what steers a terminal, or hides a part of the line, is shown as what it is', () => {
  expect(printed('a\u001b[2Jb\u202ec\u200bd\re\u0007')).toBe('a\\u{1b}[2Jb\\u{202e}c\\u{200b}d\\u{d}e\\u{7}');
  expect(printed('línea\n\t日本')).toBe('línea\n\t日本');
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [90_061_000, '1 d 1 h'],
])('%i ms last %s', (ms, words) => expect(duration(ms)).toBe(words));
