import type { JsonObject } from '../model/json.ts';
import { type HashTrie, trieCount, trieIncrement } from './hash-trie.ts';

/** How often something may happen before the next time is a loop. */
export interface LoopLimits {
  /** Calls of one tool with the same arguments. */
  readonly calls: number;
  /** Passes over one transition in the same situation. */
  readonly transitions: number;
  /** Plans that an earlier one already said, with nothing learned in between. */
  readonly equalPlans: number;
  /** Sub-tasks with the same signature. */
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

export type LoopKind = 'repeated_call' | 'tool_spam' | 'repeated_transition' | 'no_progress' | 'duplicate_subtask';

/** Why the guard stopped something. There is no trip without a reason. */
export interface LoopTrip {
  readonly code: 'loop_detected';
  readonly kind: LoopKind;
  readonly detail: JsonObject;
}

/** What a run has repeated so far. Every run and every lane has its own. */
export interface LoopGuard {
  readonly limits: LoopLimits;
  readonly trips: number;
  readonly calls: HashTrie;
  readonly transitions: HashTrie;
  readonly subtasks: HashTrie;
  /** Plans since the last new evidence. */
  readonly plans: HashTrie;
  readonly equalPlans: number;
  readonly evidence: number;
  /** When the minute began in which calls are being counted, and how many there were. */
  readonly minuteFrom: number;
  readonly inMinute: number;
}

export interface Noted {
  readonly guard: LoopGuard;
  readonly trip: LoopTrip | null;
}

/** A call that was counted, and how often the same one was made before. */
export interface NotedCall extends Noted {
  readonly repeats: number;
}

export function guardWith(limits: LoopLimits): LoopGuard {
  return {
    limits,
    trips: 0,
    calls: null,
    transitions: null,
    subtasks: null,
    plans: null,
    equalPlans: 0,
    evidence: 0,
    minuteFrom: 0,
    inMinute: 0,
  };
}

/** Before a call: with a trip it must not be sent. `argsHash` is over canonical arguments, so key order is no escape. */
export function noteCall(guard: LoopGuard, tool: string, argsHash: string): NotedCall {
  const repeats = trieCount(guard.calls, argsHash, tool);
  const limit = guard.limits.calls;
  if (repeats >= limit) {
    const detail = { tool, args_hash: argsHash, count: repeats + 1, limit };
    return { ...trip(guard, 'repeated_call', detail), repeats };
  }
  return { guard: { ...guard, calls: trieIncrement(guard.calls, argsHash, tool) }, trip: null, repeats };
}

/** How often a call was begun so far, its retries not counted. */
export const callsMade = (guard: LoopGuard, call: { readonly tool: string; readonly argsHash: string }): number =>
  trieCount(guard.calls, call.argsHash, call.tool);

const MINUTE_MS = 60_000;

/** Before every dispatch, whatever it repeats: a run that calls without end is stopped, and only that run. */
export function notePace(guard: LoopGuard, now: number): Noted {
  const fresh = now - guard.minuteFrom >= MINUTE_MS;
  const count = fresh ? 1 : guard.inMinute + 1;
  const limit = guard.limits.callsPerMinute;
  if (count > limit) return trip(guard, 'tool_spam', { count, limit });
  return { guard: { ...guard, minuteFrom: fresh ? now : guard.minuteFrom, inMinute: count }, trip: null };
}

/**
 * After a transition. The key names the edge and the situation it was taken in: a run passes the same edges with
 * every step, and loops only where it passes one without anything having changed.
 */
export function noteTransition(guard: LoopGuard, transition: string): Noted {
  const count = trieCount(guard.transitions, transition) + 1;
  const limit = guard.limits.transitions;
  if (count > limit) return trip(guard, 'repeated_transition', { transition, count, limit });
  return { guard: { ...guard, transitions: trieIncrement(guard.transitions, transition) }, trip: null };
}

/** After planning. A plan that was made before brings nothing new, unless evidence arrived since. */
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

/** Before a sub-task is opened. */
export function noteSubtask(guard: LoopGuard, signature: string): Noted {
  const count = trieCount(guard.subtasks, signature) + 1;
  const limit = guard.limits.subtasks;
  if (count > limit) return trip(guard, 'duplicate_subtask', { signature, count, limit });
  return { guard: { ...guard, subtasks: trieIncrement(guard.subtasks, signature) }, trip: null };
}

function trip(guard: LoopGuard, kind: LoopKind, detail: JsonObject): Noted {
  return { guard: { ...guard, trips: guard.trips + 1 }, trip: { code: 'loop_detected', kind, detail } };
}
