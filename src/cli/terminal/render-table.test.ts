import { expect, test } from 'vitest';
import { escapeText } from './escape.ts';
import { renderPairs, renderTable } from './render-table.ts';

test('renderTable ignores colors in column widths and cuts the last column to the screen', () => {
  const rows = [
    ['a', '\u001b[32mgood\u001b[39m', 'short'],
    ['longer', 'bad', 'a text that does not fit on this line'],
  ];
  expect(renderTable(['ID', 'STATE', 'WHY'], rows, 30).split('\n')).toEqual([
    'ID      STATE  WHY',
    'a       \u001b[32mgood\u001b[39m   short',
    'longer  bad    a text that do…',
  ]);
});

test('renderPairs leaves out null values', () => {
  expect(
    renderPairs([
      ['a', '1'],
      ['long', null],
      ['bc', '2'],
    ]),
  ).toEqual(['a   1', 'bc  2']);
});

test('escapeText escapes control, bidirectional and invisible characters', () => {
  expect(escapeText('a\u001b[2Jb\u202ec\u200bd\re\u0007')).toBe('a\\u{1b}[2Jb\\u{202e}c\\u{200b}d\\u{d}e\\u{7}');
  expect(escapeText('línea\n\t日本')).toBe('línea\n\t日本');
});
