/** The search finds the longest word at every position, in a time that does not depend on the number of words. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findWords } from './find-words.ts';

/** The characters of a text that are in some word. */
function covered(text: string, words: readonly string[]): readonly boolean[] {
  const within = Array.from(text, () => false);
  for (const word of words)
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) within.fill(true, at, at + word.length);
  return within;
}

test('finds words of every length, also overlapping ones', () => {
  const letters = fc.stringMatching(/^[ab]{4,40}$/);
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 12 }), fc.stringMatching(/^[abc]{0,120}$/), (words, noise) => {
      const text = `${noise}${words.join('')}${noise}${words.at(0) ?? ''}`;
      const within = Array.from(text, () => false);
      for (const { from, to, word } of findWords(words)(text)) {
        expect(text.slice(from, to)).toBe(words[word]);
        within.fill(true, from, to);
      }
      expect(within).toEqual(covered(text, words));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['no words', [], 'abcdef', []],
  ['words that are too short', ['abc'], 'abcdef', []],
  ['a word that begins like a longer one', ['abcd', 'abcdefgh'], 'abcdefgX', [[0, 4]]],
  ['the longest of several words', ['abcd', 'abcdef', 'abcde'], 'abcdef', [[0, 6]]],
  [
    'words that overlap',
    ['abcd', 'cdef'],
    'abcdef',
    [
      [0, 4],
      [2, 6],
    ],
  ],
] as const)('%s', (_name, words, text, ranges) => {
  expect(findWords(words)(text).map(({ from, to }) => [from, to])).toEqual(ranges);
});

/** Counts the lookups of hashes, the only work that could depend on the words. */
function lookupsOf(work: () => unknown): number {
  const { get } = Map.prototype;
  let count = 0;
  Map.prototype.get = function counted(key) {
    count += 1;
    return get.call(this, key);
  };
  try {
    work();
  } finally {
    Map.prototype.get = get;
  }
  return count;
}

test('the number of lookups grows with the text and not with the words', () => {
  const wordsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `person${at}@a.org`);
  const text = 'person7@a.org person9999999@b.org perso '.repeat(500);
  const [few, many] = [findWords(wordsOf(100)), findWords(wordsOf(6_400))];
  const counts = [few, many].map((find) => lookupsOf(() => find(text)));
  expect(counts[0]).toBeGreaterThan(500);
  expect(counts[1]).toBeLessThan(2 * (counts[0] ?? 0));
  expect(lookupsOf(() => many(text.repeat(4)))).toBeLessThan(4.2 * (counts[1] ?? 0));
});

test('the work of the preparation grows with the words', () => {
  const lookups = (count: number): number =>
    lookupsOf(() => findWords(Array.from({ length: count }, (_, at) => `person${at}@example.org`)));
  expect(lookups(6_400)).toBeLessThan(100 * lookups(100));
});
