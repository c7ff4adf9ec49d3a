import { inputFault } from '../fault/guard-input.ts';

/**
 * Freezes a value and everything in it. Uses a list instead of recursion, so that depth and cycles are harmless, and
 * also walks into frozen values, because only their outermost level may be frozen.
 */
export function deepFreeze<T>(value: T): T {
  try {
    if (!isNode(value)) return value;
    const nodes = nodesIn(Object.freeze(value));
    if (nodes.length === 0) return value;
    const seen = new Set<object>([value]);
    for (const node of nodes) {
      if (seen.has(node)) continue;
      seen.add(node);
      for (const child of nodesIn(Object.freeze(node))) nodes.push(child);
    }
    return value;
  } catch (error) {
    throw inputFault('deepFreeze', error);
  }
}

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null;

const nodesIn = (node: object): object[] => Object.values(node).filter(isNode);
