import type { JsonObject } from '../model/json.ts';
import type { Stop } from '../model/stop.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { KernelEnv } from './env.ts';
import type { CurrentStep, Doubt, RunState } from './state.ts';

/** What a run starts with, and most runs keep: no call of theirs is in doubt. */
export const NO_DOUBTS: Readonly<Record<string, Doubt>> = Object.freeze({});

/** How a call that may or may not have had its effect is put before whoever has to find out. */
export function callInDoubt({ stepId, tool, argsHash }: CurrentStep): Stop {
  const detail = { step_id: stepId, tool, args_hash: argsHash };
  return { code: 'REVIEW_REQUIRED', reason: 'call_in_doubt', detail };
}

/** The same tool with the same arguments, under whatever plan and step: while one such call is in doubt, so are all. */
const nameOf = (tool: string, argsHash: string): string => `${tool} ${argsHash}`;

export function doubtAbout({ work }: RunState, { tool, argsHash }: CurrentStep): Doubt | null {
  if (work.doubts === NO_DOUBTS) return null;
  const name = nameOf(tool, argsHash);
  return Object.hasOwn(work.doubts, name) ? (work.doubts[name] ?? null) : null;
}

/** What is known of a call that was sent and did not come back well: it may have had its effect from then on. */
export function doubtOf(env: KernelEnv, state: RunState, current: CurrentStep): Doubt | null {
  if (current.call === null) return null;
  const since = current.call.dispatchBefore - env.limits.dispatchWindowMs;
  return doubtAbout(state, current) ?? { key: current.call.key, since };
}

/** Remembers a call that failed and, whatever the tool says about it, may have had its effect all the same. */
export function noteDoubt(env: KernelEnv, state: RunState, spec: ToolSpec): RunState {
  const { current } = state;
  const harmless = !spec.side_effect || spec.idempotency.kind === 'natural';
  if (harmless || current === null) return state;
  const doubt = doubtOf(env, state, current);
  if (doubt === null) return state;
  const doubts = { ...state.work.doubts, [nameOf(current.tool, current.argsHash)]: doubt };
  return { ...state, work: { ...state.work, doubts } };
}

/** Whether a dispatch up to that instant can have no second effect: the tool still knows the key of the first. */
export function isAbsorbed(spec: ToolSpec, doubt: Doubt, dispatchBefore: number): boolean {
  if (!spec.side_effect || spec.idempotency.kind === 'natural') return true;
  return spec.idempotency.kind === 'key' && dispatchBefore < doubt.since + spec.idempotency.retention_ms;
}

/** The call came back well, or a person has decided what becomes of it. */
export function settleDoubt(state: RunState, tool: string, argsHash: string): RunState {
  if (state.work.doubts === NO_DOUBTS) return state;
  const name = nameOf(tool, argsHash);
  if (!Object.hasOwn(state.work.doubts, name)) return state;
  const { [name]: _, ...doubts } = state.work.doubts;
  return { ...state, work: { ...state.work, doubts } };
}

/** A person who lets the run go on has decided about the call that was put before them, and about no other. */
export function settleDecided(state: RunState, detail: JsonObject): RunState {
  const { tool, args_hash } = detail;
  return typeof tool === 'string' && typeof args_hash === 'string' ? settleDoubt(state, tool, args_hash) : state;
}
