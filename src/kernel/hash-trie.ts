/**
 * Counts of keys, in versions that share almost everything: a trie of sixteen-way branches that is walked by the
 * digits of the key's hash. Counting one key copies a handful of branches, however many keys were counted before,
 * and every count is exact: keys whose hashes agree stand in one chain and are told apart by their text.
 */
export type HashTrie = TrieNode | null;
type TrieNode = TrieLeaf | TrieBranch;
type TrieBranch = readonly HashTrie[];

interface TrieLeaf {
  readonly key: string;
  readonly count: number;
  readonly next: TrieLeaf | null;
}

const DIGIT_BITS = 4;
const HASH_BITS = 32;
const NO_BRANCH: TrieBranch = Object.freeze(Array.from({ length: 1 << DIGIT_BITS }, () => null));

export function trieCount(trie: HashTrie, key: string): number {
  const hash = fnv1a(key);
  let node = trie;
  for (let shift = 0; isBranch(node); shift += DIGIT_BITS) node = node[digit(hash, shift)] ?? null;
  for (let leaf = node; leaf !== null; leaf = leaf.next) if (leaf.key === key) return leaf.count;
  return 0;
}

/** One more of this key. */
export function trieIncrement(trie: HashTrie, key: string): TrieNode {
  return increment(trie, key, fnv1a(key), 0);
}

function increment(node: HashTrie, key: string, hash: number, shift: number): TrieNode {
  if (node === null) return { key, count: 1, next: null };
  if (isBranch(node)) {
    const place = digit(hash, shift);
    return withChild(node, place, increment(node[place] ?? null, key, hash, shift + DIGIT_BITS));
  }
  if (node.key === key || shift >= HASH_BITS) return incrementChain(node, key);
  const branch = withChild(NO_BRANCH, digit(fnv1a(node.key), shift), node);
  return increment(branch, key, hash, shift);
}

function incrementChain(leaf: TrieLeaf, key: string): TrieLeaf {
  if (leaf.key === key) return { key, count: leaf.count + 1, next: leaf.next };
  const next = leaf.next === null ? { key, count: 1, next: null } : incrementChain(leaf.next, key);
  return { key: leaf.key, count: leaf.count, next };
}

function withChild(branch: TrieBranch, place: number, child: TrieNode): TrieBranch {
  const copy = branch.slice();
  copy[place] = child;
  return copy;
}

const isBranch = (node: HashTrie): node is TrieBranch => Array.isArray(node);
const digit = (hash: number, shift: number): number => (hash >>> shift) & ((1 << DIGIT_BITS) - 1);

/** FNV-1a over UTF-16 units. It only spreads keys over branches; nothing is trusted because of it. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
