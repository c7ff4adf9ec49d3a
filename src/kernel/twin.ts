import type { JsonObject } from '../model/json.ts';
import type { Stop } from '../model/stop.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { KernelEnv } from './env.ts';
import type { CurrentStep, Lately, RunState, Work } from './state.ts';

/** What a run starts with: it has not changed anything lately. */
export const NOTHING_LATELY: Work['lately'] = Object.freeze({});

const nameOf = (tool: string, argsHash: string): string => `${tool} ${argsHash}`;

function doneLately({ work }: RunState, tool: string, argsHash: string): Lately | null {
  if (work.lately === NOTHING_LATELY) return null;
  const name = nameOf(tool, argsHash);
  return Object.hasOwn(work.lately, name) ? (work.lately[name] ?? null) : null;
}

/** Remembers, for as long as an equal call would rather be a mistake than a wish, that this one was made. */
export function noteDone(
  env: KernelEnv,
  { work, now }: RunState,
  current: CurrentStep,
  spec: ToolSpec,
): Work['lately'] {
  if (!spec.side_effect || spec.idempotency.kind === 'natural') return work.lately;
  const until = now + env.limits.duplicateWindowMs;
  return { ...work.lately, [nameOf(current.tool, current.argsHash)]: { until, approved: false } };
}

/** The same has just been done, under whatever step and plan: somebody has to look before it is done once more. */
export function duplicateAction(state: RunState, { stepId, tool, argsHash }: CurrentStep): Stop | null {
  const done = doneLately(state, tool, argsHash);
  if (done === null || done.approved || state.now >= done.until) return null;
  const detail = { step_id: stepId, tool, args_hash: argsHash, again_from: done.until };
  return { code: 'REVIEW_REQUIRED', reason: 'duplicate_action', detail };
}

/** When a call that somebody wants made once more may start: not before the window is over. */
export function againFrom(state: RunState, { tool, argsHash }: CurrentStep): number {
  const done = doneLately(state, tool, argsHash);
  return done?.approved === true ? done.until : 0;
}

/** A person who lets the run go on wants the call that was put before them made once more, and no other. */
export function approveAgain(state: RunState, { tool, args_hash }: JsonObject): RunState {
  if (typeof tool !== 'string' || typeof args_hash !== 'string') return state;
  const done = doneLately(state, tool, args_hash);
  if (done === null) return state;
  const lately = { ...state.work.lately, [nameOf(tool, args_hash)]: { ...done, approved: true } };
  return { ...state, work: { ...state.work, lately } };
}
