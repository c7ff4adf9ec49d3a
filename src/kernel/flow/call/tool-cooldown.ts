import type { Stop } from '../../../model/fault/terminal-code.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { KernelEnv } from '../../env.ts';
import type { OpenBreaker, TrippedTools } from '../../state/call-state.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import type { Reaction } from '../../transition/reaction.ts';
import { escalateRun } from '../people/escalate.ts';

const NONE: TrippedTools = Object.freeze({});

function trippedAt({ work }: RunState, tool: string): OpenBreaker | null {
  if (work.tripped === undefined) return null;
  return Object.hasOwn(work.tripped, tool) ? (work.tripped[tool] ?? null) : null;
}

export const isTripped = (state: RunState, tool: string): boolean => trippedAt(state, tool) !== null;

/** The time from which this run may call the tool again; null if it may now. */
export function refusedUntil(state: RunState, tool: string): number | null {
  const tripped = trippedAt(state, tool);
  return tripped === null || state.now >= tripped.until ? null : tripped.until;
}

/**
 * Starts a cooldown for a tool after the run gave up on it, or after its single try failed. Failures of other runs are
 * counted by the tenant's breaker.
 */
export function startCooldown(env: KernelEnv, before: RunState, after: RunState): RunState {
  const tool = before.current?.tool;
  if (tool === undefined) return after;
  const { escalation } = after.people;
  const isAbandoned = escalation !== before.people.escalation && escalation?.stop.code === 'REPEATED_FAILURE';
  const known = trippedAt(before, tool);
  if (!isAbandoned && known === null) return after;
  const tripped = { times: (known?.times ?? 0) + 1, until: before.now + env.limits.retryCooldownMs };
  return { ...after, work: { ...after.work, tripped: { ...after.work.tripped, [tool]: tripped } } };
}

export function endCooldown(state: RunState, tool: string): RunState {
  if (trippedAt(state, tool) === null) return state;
  const { [tool]: _, ...tripped } = state.work.tripped ?? NONE;
  return { ...state, work: { ...state.work, tripped } };
}

/** Allows one try of each tripped tool after a person lets the run continue. */
export function allowOneTry(state: RunState, { code }: Stop): RunState {
  const { tripped } = state.work;
  if (code !== 'REPEATED_FAILURE' || tripped === undefined) return state;
  const reset = Object.entries(tripped).map(([tool, known]) => [tool, { ...known, until: state.now }] as const);
  return { ...state, work: { ...state.work, tripped: Object.fromEntries(reset) } };
}

/** Escalates if the tool is in its cooldown. Only a person can allow an earlier try. */
export function escalateCooldown(
  env: KernelEnv,
  state: RunState,
  { tool }: CurrentStep,
  about: JsonObject,
): Reaction | null {
  const until = refusedUntil(state, tool);
  if (until === null) return null;
  const detail = { ...about, tool, retry_at: until };
  return escalateRun(env, state, 'repeated_failure', { code: 'REPEATED_FAILURE', reason: 'breaker_open', detail });
}
