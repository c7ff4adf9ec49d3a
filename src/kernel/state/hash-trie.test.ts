/** Proves that the trie counts like a Map, shares unchanged branches, and stays shallow. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../model/json/freeze.ts';
import { type HashTrie, trieCount, trieIncrement } from './loop-guard.ts';

/** Digests that share their last digits more often than chance, and strings that are not digests. */
const digests = fc.oneof(
  fc.nat({ max: 30 }).map((n) => n.toString(16).padStart(64, '0')),
  fc.nat({ max: 3 }).map((n) => `${n}${'f'.repeat(63)}`),
  fc.constantFrom('', 'a', 'A', '__proto__', 'constructor', 'plan>repair'),
  fc.string({ maxLength: 3 }),
);
const entries = fc.array(fc.tuple(digests, fc.constantFrom('', 'tool.a', 'tool.b')), { maxLength: 200 });

/** Evenly spread digests, without a hash function. */
const spread = (n: number): string =>
  Math.imul(n + 1, 0x9e3779b1)
    .toString(16)
    .padStart(8, '0')
    .slice(-8)
    .padStart(64, '0');

describe('hash trie', () => {
  test('counts like a Map', () => {
    fc.assert(
      fc.property(entries, (list) => {
        let trie: HashTrie = null;
        const counts = new Map<string, number>();
        for (const [digest, label] of list) {
          trie = trieIncrement(deepFreeze(trie), digest, label);
          const key = JSON.stringify([digest, label]);
          counts.set(key, (counts.get(key) ?? 0) + 1);
          expect(trieCount(trie, digest, label)).toBe(counts.get(key));
        }
        for (const [digest, label] of list) {
          expect(trieCount(trie, digest, label)).toBe(counts.get(JSON.stringify([digest, label])));
          expect(trieCount(trie, digest, 'never')).toBe(0);
        }
      }),
    );
  });

  test('leaves earlier versions unchanged', () => {
    const before = deepFreeze(trieIncrement(null, 'ab'));
    const after = trieIncrement(before, 'ab');
    expect([trieCount(before, 'ab'), trieCount(after, 'ab'), trieCount(null, 'ab')]).toEqual([1, 2, 0]);
  });

  test('counting in one trie does not affect another', () => {
    const grown = (...digests: readonly string[]): HashTrie =>
      digests.reduce<HashTrie>((trie, digest) => trieIncrement(trie, digest), null);
    const one = grown('a', 'b');
    const other = grown('c', 'd');
    expect(['a', 'b', 'c', 'd'].map((digest) => trieCount(one, digest))).toEqual([1, 1, 0, 0]);
    expect(['a', 'b', 'c', 'd'].map((digest) => trieCount(other, digest))).toEqual([0, 0, 1, 1]);
  });

  test('copies a handful of branches per increment, independent of its size', () => {
    let trie: HashTrie = null;
    for (let n = 0; n < 10_000; n += 1) trie = trieIncrement(trie, spread(n));
    const before = new Set(nodesOf(trie));
    const fresh = nodesOf(trieIncrement(trie, spread(10_001))).filter((node) => !before.has(node));
    expect(before.size).toBeGreaterThan(10_000);
    expect(fresh.length).toBeLessThanOrEqual(10);
  });
});

function nodesOf(trie: HashTrie): readonly object[] {
  if (trie === null) return [];
  if ('digest' in trie) return [trie];
  return [trie, ...trie.flatMap(nodesOf)];
}
