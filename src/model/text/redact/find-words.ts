/** A word in a text: its range, and its index in the list that is searched for. */
export interface FoundWord {
  readonly from: number;
  readonly to: number;
  readonly word: number;
}

/** Searches a text for any of these words. */
export type FindWords = (text: string) => readonly FoundWord[];

/** Shorter words are not searched for. */
const LENGTH_MIN = 4;

const FILTER_MASK = 0xffff;

/** Primes below 2^26, so that products of two remainders are exact. */
const PRIMES = [67_108_859, 67_108_837] as const;
const BASES = [31_415_926, 27_182_818] as const;

/**
 * Words and beginnings of words by hash, each with the longest word that it begins with, or -1. A word of 45 characters
 * has entries for its first 32, 40, 44 and 45 characters: the way on which a search by halves reaches it.
 */
interface WordTable {
  readonly byHash: Map<number, number>;
  /** Hashes of the first characters of words. Most positions of a text fail it. */
  readonly filter: Uint8Array;
  readonly powers: readonly Uint32Array[];
  /** The largest power of two that is no longer than the longest word. */
  readonly top: number;
}

/**
 * Prepares a search for the longest word at every position of a text. The time is that of the text times the logarithm
 * of the longest word, however many words there are. Words are compared by a hash of 52 bits.
 */
export function findWords(words: readonly string[]): FindWords {
  const ordered = [...words.entries()]
    .filter(([, word]) => word.length >= LENGTH_MIN)
    .sort(([, a], [, b]) => a.length - b.length);
  const lengthMax = ordered.at(-1)?.[1].length ?? 0;
  if (lengthMax === 0) return () => [];
  const table: WordTable = {
    byHash: new Map(),
    filter: new Uint8Array(FILTER_MASK + 1),
    powers: PRIMES.map((prime, at) => powersOf(BASES[at] ?? 0, prime, lengthMax)),
    top: 2 ** Math.floor(Math.log2(lengthMax)),
  };
  const lengths = words.map(({ length }) => length);
  for (const [index, word] of ordered) addWord(table, lengths, word, index);
  return (text) => searchWords(table, lengths, text);
}

/** Adds a word after all shorter ones. */
function addWord(table: WordTable, lengths: readonly number[], word: string, index: number): void {
  const hash = hasher(table, word);
  table.filter[startOf(word, 0)] = 1;
  let length = 0;
  for (let bit = table.top; bit >= 1; bit /= 2) {
    if (length + bit > word.length) continue;
    length += bit;
    const key = hash(0, length);
    if (!table.byHash.has(key)) table.byHash.set(key, longestAt(table, hash, 0, length));
  }
  const key = hash(0, length);
  const same = table.byHash.get(key) ?? -1;
  if (same < 0 || lengths[same] !== length) table.byHash.set(key, index);
}

function searchWords(table: WordTable, lengths: readonly number[], text: string): readonly FoundWord[] {
  const found: FoundWord[] = [];
  let hash: HashOf | null = null;
  let done = 0;
  for (let from = 0; from + LENGTH_MIN <= text.length; from += 1) {
    if (table.filter[startOf(text, from)] === 0) continue;
    hash ??= hasher(table, text);
    const word = longestAt(table, hash, from, text.length - from);
    const to = from + (lengths[word] ?? 0);
    // A word within the last one adds nothing.
    if (word < 0 || to <= done) continue;
    found.push({ from, to, word });
    done = to;
  }
  return found;
}

/** The longest word that a text has at `from` within `limit` characters, or -1. */
function longestAt({ byHash, top }: WordTable, hash: HashOf, from: number, limit: number): number {
  let length = 0;
  let word = -1;
  for (let bit = top; bit >= 1; bit /= 2) {
    if (length + bit > limit) continue;
    const known = byHash.get(hash(from, length + bit));
    if (known === undefined) continue;
    length += bit;
    word = known;
  }
  return word;
}

/** The hash of some characters of a text. */
type HashOf = (from: number, length: number) => number;

/** Hashes of all beginnings of a text, from which the hash of any part follows. */
function hasher({ powers }: WordTable, text: string): HashOf {
  const [first, second] = PRIMES.map((prime, at) => {
    const base = BASES[at] ?? 0;
    const sums = new Uint32Array(text.length + 1);
    let sum = 0;
    for (let index = 0; index < text.length; index += 1) {
      sum = (sum * base + text.charCodeAt(index) + 1) % prime;
      sums[index + 1] = sum;
    }
    const power = powers[at] ?? new Uint32Array(0);
    return (from: number, length: number): number => {
      const rest = (sums[from + length] ?? 0) - (((sums[from] ?? 0) * (power[length] ?? 0)) % prime);
      return rest < 0 ? rest + prime : rest;
    };
  });
  return (from, length) => (first?.(from, length) ?? 0) * 2 ** 26 + (second?.(from, length) ?? 0);
}

function powersOf(base: number, prime: number, count: number): Uint32Array {
  const powers = new Uint32Array(count + 1);
  powers[0] = 1;
  for (let at = 1; at <= count; at += 1) powers[at] = ((powers[at - 1] ?? 0) * base) % prime;
  return powers;
}

/** The place of the first characters at `from` in the filter. */
function startOf(text: string, from: number): number {
  let hash = 0;
  for (let at = from; at < from + LENGTH_MIN; at += 1) hash = Math.imul(hash, 0x9e37) + text.charCodeAt(at);
  return (hash ^ (hash >>> 16)) & FILTER_MASK;
}
