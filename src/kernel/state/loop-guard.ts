import type { JsonObject } from '../../model/json/json.ts';

/**
 * A persistent counter of hex digests: a 16-way trie over the digits of the digest, last digit first, so that an
 * increment copies only a handful of branches. Counts are exact: keys that agree in all 16 digits share a chain and are
 * compared as text, so any string may be counted, although only digests spread well. `label` separates entries with the
 * same digest, such as two tools called with the same arguments, without hashing or joining strings.
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

/** Digits walked before a chain begins. They are 64 bits of the digest, so digests practically never share a chain. */
const LEVELS = 16;
/** Not frozen, because engines copy frozen arrays element by element. It is never written to. */
const NO_BRANCH: TrieBranch = Array.from({ length: 16 }, () => null);

export function trieCount(trie: HashTrie, digest: string, label: string = ''): number {
  let node = trie;
  for (let level = 0; isBranch(node); level += 1) node = node[digit(digest, level)] ?? null;
  for (let leaf = node; leaf !== null; leaf = leaf.next) {
    if (leaf.digest === digest && leaf.label === label) return leaf.count;
  }
  return 0;
}

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

/** The value of the hex digit at `level`, counted from the end; any other character gives some number from 0 to 15. */
function digit(digest: string, level: number): number {
  const place = digest.length - 1 - level;
  if (place < 0) return 0;
  const code = digest.charCodeAt(place);
  return (code + (code >>> 6) * 9) & 15;
}

/** How often something may happen before the next occurrence counts as a loop. */
interface LoopLimits {
  /** Calls of one tool with the same arguments. */
  readonly calls: number;
  /** Passes over one transition while nothing changes. */
  readonly transitions: number;
  /** Repetitions of earlier plans without new evidence. */
  readonly equalPlans: number;
  /** Sub-tasks with the same signature: lanes that the same tool opens with the same arguments. */
  readonly subtasks: number;
  /** Calls of any tool within one minute. */
  readonly callsPerMinute: number;
}

export const LOOP_LIMITS: LoopLimits = Object.freeze({
  calls: 3,
  transitions: 3,
  equalPlans: 1,
  subtasks: 1,
  callsPerMinute: 3_000,
});

type LoopKind = 'repeated_call' | 'tool_spam' | 'repeated_transition' | 'no_progress' | 'duplicate_subtask';

/** Whether a person may allow one more of what was repeated: a call, or the lane of a sub-task. */
export const isRepeatedWork = (kind: unknown): boolean => kind === 'repeated_call' || kind === 'duplicate_subtask';

/** The reason why the guard stopped a run. */
export interface LoopTrip {
  readonly code: 'loop_detected';
  readonly kind: LoopKind;
  readonly detail: JsonObject;
}

/** The repetitions of one run or lane. */
export interface LoopGuard {
  readonly limits: LoopLimits;
  readonly trips: number;
  readonly calls: HashTrie;
  /** Calls that failed and were not retried. */
  readonly failures: HashTrie;
  /** Calls beyond the limit that a person has allowed, each once. */
  readonly allowances: HashTrie;
  readonly transitions: HashTrie;
  /** Plans since the last new evidence. */
  readonly plans: HashTrie;
  readonly equalPlans: number;
  readonly evidence: number;
  /** Start of the current minute; `inMinute` counts its calls. */
  readonly minuteFrom: number;
  readonly inMinute: number;
}

export interface Noted {
  readonly guard: LoopGuard;
  readonly trip: LoopTrip | null;
}

/** A counted call; `repeats` is the number of identical calls before it. */
export interface NotedCall extends Noted {
  readonly repeats: number;
}

export function guardWith(limits: LoopLimits): LoopGuard {
  return {
    limits,
    trips: 0,
    calls: null,
    failures: null,
    allowances: null,
    transitions: null,
    plans: null,
    equalPlans: 0,
    evidence: 0,
    minuteFrom: 0,
    inMinute: 0,
  };
}

/**
 * Counts a call before dispatch; a call with a trip must not be sent. `argsHash` is the hash of the canonical
 * arguments, so another key order is the same call. `most` is the limit that the tool declares.
 */
export function noteCall(
  guard: LoopGuard,
  tool: string,
  argsHash: string,
  most: number = guard.limits.calls,
): NotedCall {
  const repeats = trieCount(guard.calls, argsHash, tool);
  const limit = guard.allowances === null ? most : most + trieCount(guard.allowances, argsHash, tool);
  if (repeats >= limit) {
    const detail = { tool, args_hash: argsHash, count: repeats + 1, limit };
    return { ...trip(guard, 'repeated_call', detail), repeats };
  }
  return { guard: { ...guard, calls: trieIncrement(guard.calls, argsHash, tool) }, trip: null, repeats };
}

/** Counts a call that failed and is not retried. */
export const noteFailedCall = (guard: LoopGuard, tool: string, argsHash: string): LoopGuard => ({
  ...guard,
  failures: trieIncrement(guard.failures, argsHash, tool),
});

/** Allows one more call like this one. */
export const allowCall = (guard: LoopGuard, tool: string, argsHash: string): LoopGuard => ({
  ...guard,
  allowances: trieIncrement(guard.allowances, argsHash, tool),
});

export const hasFailed = (guard: LoopGuard, tool: string, argsHash: string): boolean =>
  trieCount(guard.failures, argsHash, tool) > 0;

/** The number of such calls so far, without retries. */
export const callsMade = (guard: LoopGuard, call: { readonly tool: string; readonly argsHash: string }): number =>
  trieCount(guard.calls, call.argsHash, call.tool);

const MINUTE_MS = 60_000;

/** Counts a dispatch, repeated or not, and trips if the run makes too many calls per minute. */
export function notePace(guard: LoopGuard, now: number): Noted {
  const fresh = now - guard.minuteFrom >= MINUTE_MS;
  const count = fresh ? 1 : guard.inMinute + 1;
  const limit = guard.limits.callsPerMinute;
  if (count > limit) return trip(guard, 'tool_spam', { count, limit });
  return { guard: { ...guard, minuteFrom: fresh ? now : guard.minuteFrom, inMinute: count }, trip: null };
}

/**
 * Counts a transition. The key names the edge and the situation: a run passes the same edges with every step, and it
 * loops only if nothing has changed in between.
 */
export function noteTransition(guard: LoopGuard, transition: string): Noted {
  const count = trieCount(guard.transitions, transition) + 1;
  const limit = guard.limits.transitions;
  if (count > limit) return trip(guard, 'repeated_transition', { transition, count, limit });
  return { guard: { ...guard, transitions: trieIncrement(guard.transitions, transition) }, trip: null };
}

/** Counts a plan. A plan that repeats an earlier one is no progress unless evidence has arrived since. */
export function notePlan(guard: LoopGuard, planHash: string, evidenceCount: number): Noted {
  if (evidenceCount > guard.evidence) {
    const plans = trieIncrement(null, planHash);
    return { guard: { ...guard, plans, equalPlans: 0, evidence: evidenceCount }, trip: null };
  }
  if (trieCount(guard.plans, planHash) === 0) {
    return { guard: { ...guard, plans: trieIncrement(guard.plans, planHash) }, trip: null };
  }
  const count = guard.equalPlans + 1;
  const limit = guard.limits.equalPlans;
  if (count > limit) return trip(guard, 'no_progress', { plan_hash: planHash, evidence: evidenceCount, count, limit });
  return { guard: { ...guard, equalPlans: count }, trip: null };
}

/** Counts a sub-task before its lane is opened. One that failed may be given to a lane again, as any call may. */
export function noteSubtask(
  guard: LoopGuard,
  tool: string,
  argsHash: string,
  most: number = guard.limits.subtasks,
): NotedCall {
  const repeats = trieCount(guard.calls, argsHash, tool);
  const limit = most + trieCount(guard.allowances, argsHash, tool);
  const count = repeats - trieCount(guard.failures, argsHash, tool) + 1;
  if (count <= limit) return noteCall(guard, tool, argsHash, Math.max(most, guard.limits.calls));
  return { ...trip(guard, 'duplicate_subtask', { tool, args_hash: argsHash, count, limit }), repeats };
}

function trip(guard: LoopGuard, kind: LoopKind, detail: JsonObject): Noted {
  return { guard: { ...guard, trips: guard.trips + 1 }, trip: { code: 'loop_detected', kind, detail } };
}
