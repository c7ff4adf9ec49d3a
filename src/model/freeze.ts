/**
 * Freezes a value and all it holds. Walks by a list, not by recursion, so that neither depth nor a
 * cycle can hurt, and walks into what is frozen already, because only its outer shell may be.
 */
export function deepFreeze<T>(value: T): T {
  const nodes: unknown[] = [value];
  const seen = new Set<object>();
  for (const node of nodes) {
    if (typeof node !== 'object' || node === null || seen.has(node)) continue;
    seen.add(node);
    for (const child of Object.values(Object.freeze(node))) nodes.push(child);
  }
  return value;
}
