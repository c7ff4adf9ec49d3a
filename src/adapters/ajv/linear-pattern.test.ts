import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearPattern } from './linear-pattern.ts';

const EVIL = [
  ['^(a+)+$', `${'a'.repeat(100_000)}!`],
  ['^(a|aa)+$', `${'a'.repeat(100_000)}!`],
  ['(.*)*x', 'y'.repeat(100_000)],
  [
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    'a'.repeat(100_000),
  ],
  ['\\s+$', `${' '.repeat(100_000)}x`],
  ['^(?=.*[A-Z])(a+)+$', `${'a'.repeat(100_000)}!`],
] as const;

test.each(EVIL)('%s ends over a text of 100,000 characters', (source, text) => {
  expect(linearPattern(source).test(text)).toBe(false);
});

test('the pattern of the attack ends over 41 characters', () => {
  expect(linearPattern('^(([a-z])+.)+[A-Z]([a-z])+$').test(`${'a'.repeat(40)}!`)).toBe(false);
});

const ORDINARY = [
  '^[a-z][a-z0-9_]{0,49}$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^ord_\\w+$',
  '\\bpaid\\b',
  '^.+$',
  '^\\S+@\\S+$',
  '^\\s*$',
  '[\\s,]x',
  '^[^\\s]+$',
  'a|b',
  '^(?:a|b)+$',
  '^(?<year>\\d+)$',
  '^\\p{Lu}\\p{L}*$',
  '^\\u00e9$',
  '^\\ud83d\\ude00$',
  '^[\\ud83d\\ude00]$',
  '^[[]$',
  '^[a^]$',
  '^[^a]$',
  '^[\\]]$',
  '[^]',
  '^\\/x\\/$',
  '^(?=.*\\d)(?=.*[A-Z]).{2,}$',
  '^(?!bad)[a-z]+$',
  '^(?!.*\\.\\.)[a.]+$',
  '^$',
  '',
  '^(?=[)(]).$',
  '^\\x41$',
  '^[\\w.-]+$',
  '^(a{2,3}|b?)$',
  '^[\\d-]+$',
  '\\.$',
] as const;
const TEXTS = [
  '',
  'a',
  'b',
  'A1',
  'Aa',
  'bad',
  'badly',
  'good',
  'a.a',
  'a..a',
  '2026-11-19',
  'ord_1',
  'it is paid.',
  'unpaid',
  ' ',
  '\u00a0',
  '\ufeff',
  '\u2028',
  '\n',
  'x\n',
  'a@b',
  'É',
  'é',
  '😀',
  '[',
  '^',
  ']',
  '/x/',
  'aaa',
  '(',
  '1-2',
  ' x',
  '\u00a0x',
  '\r',
  'Ünï',
] as const;

test.each(ORDINARY)('%s matches as the native engine does', (source) => {
  const linear = linearPattern(source);
  const native = new RegExp(source, 'u');
  expect(TEXTS.filter((text) => linear.test(text))).toEqual(TEXTS.filter((text) => native.test(text)));
});

test('generated patterns match as the native engine does', () => {
  const atom = fc.constantFrom('a', 'b', '.', '\\s', '\\d', '[ab]', '[^a]', '[\\s1]', '\\u00e9', 'é', '-', '\\.');
  const piece = fc.tuple(atom, fc.constantFrom('', '*', '+?', '?', '{1,2}')).map(([one, count]) => `${one}${count}`);
  const sequence = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
  const look = fc.constantFrom('', '^', '^(?=a)', '^(?!.*b)');
  const pattern = fc.tuple(look, sequence, fc.constantFrom('', '$')).map((parts) => parts.join(''));
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\u00a0', '\n', 'é', '-', '.') });
  fc.assert(
    fc.property(pattern, text, (source, value) => {
      expect(linearPattern(source).test(value)).toBe(new RegExp(source, 'u').test(value));
    }),
    { numRuns: 1_000 },
  );
});

describe('a pattern without a linear form is refused', () => {
  test.each(['(a)\\1', '(?<=a)b', 'x(?=y)', '^(?=a)b|c', '^a{1001}$', '(?<n>a)\\k<n>', '[^\\S]', 'a'.repeat(10_001)])(
    '%s',
    (source) => {
      expect(() => linearPattern(source)).toThrow(expect.objectContaining({ code: 'input_invalid' }));
    },
  );

  test('and so is one that ECMA-262 refuses', () => {
    for (const source of ['\\A', '\\Qa\\E', '[[:alpha:]]', '(', 'a{,3}']) {
      expect(() => linearPattern(source)).toThrow(expect.objectContaining({ code: 'input_invalid' }));
    }
  });
});
