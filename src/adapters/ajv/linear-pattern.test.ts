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

describe('the size of a pattern is limited, with its repetitions written out', () => {
  const twice = (text: string): string => text.repeat(2);
  test.each([
    '(?:a?){1000}'.repeat(6),
    `^(?:${'(?:a?){100}'.repeat(10)}){10}$`,
    `(?:a{9,}b){1000}`,
    `(?<name>${twice('a{500}')}){11}`,
    '\\u{61}{1000}'.repeat(11),
    '\\p{L}{1000}'.repeat(11),
    '[{9}]{1000}'.repeat(11),
  ])('%s is refused, and the fault names the limit', (source) => {
    expect(() => linearPattern(source)).toThrow(
      expect.objectContaining({
        code: 'input_invalid',
        message: expect.stringContaining('more than 10000 characters'),
      }),
    );
  });

  test.each([
    ['(?:a?){1000}'.repeat(4), 10_000],
    ['^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==)?$', 50],
    ['^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?[.]){1,10}[a-z]{2,63}$', 3_000],
    ['^[{]\\{9,9\\}\\u{61}\\p{L}{3}$', 50],
    ['^.{1,1000}$', 3_000],
  ])('%s is accepted', (source, size) => {
    expect(linearPattern(source).size).toBeLessThan(size);
  });

  test('the size of the program is close to the length that is limited', () => {
    const piece = fc.tuple(fc.constantFrom('a', '[ab]', '(?:ab)', '(?:a|b)'), fc.constantFrom('{9}', '{2,8}', '{7,}'));
    const group = fc
      .array(
        piece.map((parts) => parts.join('')),
        { minLength: 1, maxLength: 5 },
      )
      .map((parts) => `(?:${parts.join('')})`);
    fc.assert(
      fc.property(group, (source) => {
        expect(linearPattern(`${source}{20}`).size).toBeLessThan(4 * 20 * 5 * 9 * 3);
      }),
      { numRuns: 50 },
    );
  });
});
