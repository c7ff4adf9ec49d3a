import type { JsonObject } from '../model/json.ts';
import type { Stop } from '../model/stop.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { Doubt } from './doubt-state.ts';
import type { KernelEnv } from './env.ts';
import type { CallState, CurrentStep, RunState } from './state.ts';

/** What a run starts with, and most runs keep: no call of theirs is in doubt. */
export const NO_DOUBTS: Readonly<Record<string, Doubt>> = Object.freeze({});

/** How a call that may or may not have had its effect is put before whoever has to find out. */
export function callInDoubt({ stepId, tool, argsHash, call }: CurrentStep): Stop {
  const detail = { step_id: stepId, tool, args_hash: argsHash };
  const sent = call === null ? {} : { call_id: call.callId, idempotency_key: call.key, settled_by: overBy(call) };
  return { code: 'REVIEW_REQUIRED', reason: 'call_in_doubt', detail: { ...detail, ...sent } };
}

/** From then on a call can no longer be on its way. Nobody finds out, or decides, what became of it before that. */
export const overBy = ({ dispatchBefore, timeoutMs }: CallState): number => dispatchBefore + timeoutMs;

/** The same tool with the same arguments, under whatever plan and step: while one such call is in doubt, so are all. */
const nameOf = (tool: string, argsHash: string): string => `${tool} ${argsHash}`;

function entryFor({ work }: RunState, tool: string, argsHash: string): Doubt | null {
  if (work.doubts === NO_DOUBTS) return null;
  const name = nameOf(tool, argsHash);
  return Object.hasOwn(work.doubts, name) ? (work.doubts[name] ?? null) : null;
}

export function doubtAbout(state: RunState, { tool, argsHash }: CurrentStep): Doubt | null {
  const doubt = entryFor(state, tool, argsHash);
  return doubt?.decided === true ? null : doubt;
}

/** A person has let the call be made again while the first could still be on its way: it waits until that is over. */
export function stillOutUntil(state: RunState, { tool, argsHash }: CurrentStep): number {
  const doubt = entryFor(state, tool, argsHash);
  return doubt?.decided === true ? doubt.until : 0;
}

/**
 * Remembers a call that failed and, whatever the tool says about it, may have had its effect all the same. What was never
 * sent adds no doubt, and takes none away that an earlier dispatch has left.
 */
export function noteDoubt(env: KernelEnv, state: RunState, spec: ToolSpec): RunState {
  const { current } = state;
  const harmless = !spec.side_effect || spec.idempotency.kind === 'natural';
  if (harmless || current?.call == null || current.observed?.unsent === true) return state;
  const until = overBy(current.call);
  const since = current.call.dispatchBefore - env.limits.dispatchWindowMs;
  const known = doubtAbout(state, current) ?? { key: current.call.key, since, decided: false };
  return withDoubt(state, current, { ...known, until });
}

function withDoubt(
  state: RunState,
  { tool, argsHash }: Pick<CurrentStep, 'tool' | 'argsHash'>,
  doubt: Doubt,
): RunState {
  const doubts = { ...state.work.doubts, [nameOf(tool, argsHash)]: doubt };
  return { ...state, work: { ...state.work, doubts } };
}

/** Whether a dispatch up to that instant can have no second effect: the tool still knows the key of the first. */
export function isAbsorbed(spec: ToolSpec, doubt: Doubt, dispatchBefore: number): boolean {
  if (!spec.side_effect || spec.idempotency.kind === 'natural') return true;
  if (doubt.foreign === true) return false;
  return spec.idempotency.kind === 'key' && dispatchBefore < doubt.since + spec.idempotency.retention_ms;
}

/** Whether it is known that nothing came of a call: neither this dispatch of it nor an earlier one reached its tool. */
export const neverSent = (state: RunState, current: CurrentStep): boolean =>
  current.observed?.unsent === true && doubtAbout(state, current) === null;

/** The call came back well, or it is known that it never happened. */
export function settleDoubt(state: RunState, tool: string, argsHash: string): RunState {
  if (entryFor(state, tool, argsHash) === null) return state;
  const { [nameOf(tool, argsHash)]: _, ...doubts } = state.work.doubts;
  return { ...state, work: { ...state.work, doubts } };
}

/** A person who lets the run go on has decided about the call that was put before them, and about no other. */
export function settleDecided(undecided: RunState, detail: JsonObject): RunState {
  const { tool, args_hash } = detail;
  if (typeof tool !== 'string' || typeof args_hash !== 'string') return undecided;
  const state = withoutGrants(undecided, args_hash);
  const doubt = entryFor(state, tool, args_hash);
  if (doubt === null || state.now >= doubt.until) return settleDoubt(state, tool, args_hash);
  return withDoubt(state, { tool, argsHash: args_hash }, { ...doubt, decided: true });
}

/** What was approved was one call, and it may have been made: to make it once more is for the same people to say. */
function withoutGrants(state: RunState, argsHash: string): RunState {
  const grants = state.people.grants.filter((grant) => grant.argsHash !== argsHash);
  return grants.length === state.people.grants.length ? state : { ...state, people: { ...state.people, grants } };
}
