import type { JsonObject } from '../model/json.ts';
import type { Stop } from '../model/stop.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import type { Reaction } from './reaction.ts';
import type { CurrentStep, RunState } from './state.ts';
import type { Tripped, TrippedTools } from './tripped-tools.ts';

const NONE: TrippedTools = Object.freeze({});

function trippedAt({ work }: RunState, tool: string): Tripped | null {
  if (work.tripped === undefined) return null;
  return Object.hasOwn(work.tripped, tool) ? (work.tripped[tool] ?? null) : null;
}

export const isTripped = (state: RunState, tool: string): boolean => trippedAt(state, tool) !== null;

/** When this run may call the tool again; null where it may now. */
export function refusedUntil(state: RunState, tool: string): number | null {
  const tripped = trippedAt(state, tool);
  return tripped === null || state.now >= tripped.until ? null : tripped.until;
}

/**
 * A run that ends up with nothing left to try leaves the tool alone for a while, and so does one whose single try has
 * failed. What other runs experience with the tool is for the breaker of its tenant to say.
 */
export function tripIfGivenUp(env: KernelEnv, before: RunState, after: RunState): RunState {
  const tool = before.current?.tool;
  if (tool === undefined) return after;
  const { escalation } = after.people;
  const gaveUp = escalation !== before.people.escalation && escalation?.stop.code === 'REPEATED_FAILURE';
  const known = trippedAt(before, tool);
  if (!gaveUp && known === null) return after;
  const tripped = { times: (known?.times ?? 0) + 1, until: before.now + env.limits.retryCooldownMs };
  return { ...after, work: { ...after.work, tripped: { ...after.work.tripped, [tool]: tripped } } };
}

/** It came back well. */
export function worksAgain(state: RunState, tool: string): RunState {
  if (trippedAt(state, tool) === null) return state;
  const { [tool]: _, ...tripped } = state.work.tripped ?? NONE;
  return { ...state, work: { ...state.work, tripped } };
}

/** Whoever lets a run go on that had given up on tools lets it try each once, before its time if need be. */
export function reopened(state: RunState, { code }: Stop): RunState {
  const { tripped } = state.work;
  if (code !== 'REPEATED_FAILURE' || tripped === undefined) return state;
  const open = Object.entries(tripped).map(([tool, known]) => [tool, { ...known, until: state.now }] as const);
  return { ...state, work: { ...state.work, tripped: Object.fromEntries(open) } };
}

/** The run has given up on the tool and its time is not over: only a person can let it be tried before that. */
export function heldBack(env: KernelEnv, state: RunState, { tool }: CurrentStep, about: JsonObject): Reaction | null {
  const until = refusedUntil(state, tool);
  if (until === null) return null;
  const detail = { ...about, tool, retry_at: until };
  return escalateRun(env, state, 'repeated_failure', { code: 'REPEATED_FAILURE', reason: 'breaker_open', detail });
}
