/** Ignores short words, which occur in every sentence. */
const WORD = /[\p{L}\p{N}]{4,}/gu;

export function wordsIn(texts: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) for (const [word] of text.toLowerCase().matchAll(WORD)) words.add(word);
  return words;
}

export function wordDistance(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  return 1 - (2 * common) / (a.size + b.size);
}
