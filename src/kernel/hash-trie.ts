/**
 * Counts of hex digests, in versions that share almost everything: a trie of sixteen-way branches that is walked by
 * the digits of the digest, last one first. Counting copies a handful of branches, however many digests were counted
 * before. Every count is exact: what agrees in all digits stands in one chain and is told apart by its text, so any
 * string may be counted, only digests spread well. `label` tells apart what shares a digest, as two tools that are
 * called with the same arguments do, without anybody having to hash or join strings.
 */
export type HashTrie = TrieNode | null;
type TrieNode = TrieLeaf | TrieBranch;
type TrieBranch = readonly HashTrie[];

interface TrieLeaf {
  readonly digest: string;
  readonly label: string;
  readonly count: number;
  readonly next: TrieLeaf | null;
}

/** Digits that are walked before a chain begins: 2^64 digests have to be made to find two that share them all. */
const LEVELS = 16;
/** Only ever copied, and not frozen: the platform copies what is frozen place by place. */
const NO_BRANCH: TrieBranch = Array.from({ length: 16 }, () => null);

export function trieCount(trie: HashTrie, digest: string, label: string = ''): number {
  let node = trie;
  for (let level = 0; isBranch(node); level += 1) node = node[digit(digest, level)] ?? null;
  for (let leaf = node; leaf !== null; leaf = leaf.next) {
    if (leaf.digest === digest && leaf.label === label) return leaf.count;
  }
  return 0;
}

/** One more of this digest under this label. */
export function trieIncrement(trie: HashTrie, digest: string, label: string = ''): TrieNode {
  return increment(trie, digest, label, 0);
}

function increment(node: HashTrie, digest: string, label: string, level: number): TrieNode {
  if (node === null) return { digest, label, count: 1, next: null };
  if (isBranch(node)) {
    const place = digit(digest, level);
    return withChild(node, place, increment(node[place] ?? null, digest, label, level + 1));
  }
  if (node.digest === digest || level >= LEVELS) return incrementChain(node, digest, label);
  return increment(withChild(NO_BRANCH, digit(node.digest, level), node), digest, label, level);
}

function incrementChain(leaf: TrieLeaf, digest: string, label: string): TrieLeaf {
  if (leaf.digest === digest && leaf.label === label) return { digest, label, count: leaf.count + 1, next: leaf.next };
  const next = leaf.next === null ? { digest, label, count: 1, next: null } : incrementChain(leaf.next, digest, label);
  return { digest: leaf.digest, label: leaf.label, count: leaf.count, next };
}

function withChild(branch: TrieBranch, place: number, child: TrieNode): TrieBranch {
  const copy = branch.slice();
  copy[place] = child;
  return copy;
}

const isBranch = (node: HashTrie): node is TrieBranch => Array.isArray(node);

/** The value of a hex digit, counted from the end; some place between 0 and 15 for any other character. */
function digit(digest: string, level: number): number {
  const place = digest.length - 1 - level;
  if (place < 0) return 0;
  const code = digest.charCodeAt(place);
  return (code + (code >>> 6) * 9) & 15;
}
