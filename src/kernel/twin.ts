import type { JsonObject } from '../model/json.ts';
import type { Stop } from '../model/stop.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { KernelEnv } from './env.ts';
import type { CurrentStep, RunState, Work } from './state.ts';
import { vecGet } from './vec.ts';

/** What a run starts with: nobody has asked it to do anything twice. */
export const NOTHING_AGAIN: Work['again'] = Object.freeze({});

const nameOf = (tool: string, argsHash: string): string => `${tool} ${argsHash}`;

/**
 * The same has just been done, under whatever step and plan: somebody has to look before it is done once more.
 * To be asked about calls that the run has made before, since only those can have been done.
 */
export function duplicateAction(env: KernelEnv, state: RunState, spec: ToolSpec, current: CurrentStep): Stop | null {
  if (!spec.side_effect || spec.idempotency.kind === 'natural') return null;
  const { stepId, tool, argsHash } = current;
  const doneAt = lastDone(state, current, state.now - env.limits.duplicateWindowMs);
  if (doneAt === null) return null;
  const until = doneAt + env.limits.duplicateWindowMs;
  if (againFrom(state, current) === until) return null;
  const detail = { step_id: stepId, tool, args_hash: argsHash, again_from: until };
  return { code: 'REVIEW_REQUIRED', reason: 'duplicate_action', detail };
}

/** When an equal call last changed something, looking back from now and no further than the window. */
function lastDone({ work }: RunState, { tool, argsHash }: CurrentStep, since: number): number | null {
  for (let place = work.effects.size - 1; place >= 0; place -= 1) {
    const made = vecGet(work.effects, place);
    if (made === undefined || made.doneAt <= since) return null;
    if (made.tool === tool && made.argsHash === argsHash) return made.doneAt;
  }
  return null;
}

/** When a call that somebody wants made once more may start: not before the window is over. */
export function againFrom({ work }: RunState, { tool, argsHash }: CurrentStep): number {
  if (work.again === NOTHING_AGAIN) return 0;
  const name = nameOf(tool, argsHash);
  return Object.hasOwn(work.again, name) ? (work.again[name] ?? 0) : 0;
}

/** A person who lets the run go on wants the call that was put before them made once more, and no other. */
export function approveAgain(state: RunState, { tool, args_hash, again_from }: JsonObject): RunState {
  if (typeof tool !== 'string' || typeof args_hash !== 'string' || typeof again_from !== 'number') return state;
  const again = { ...state.work.again, [nameOf(tool, args_hash)]: again_from };
  return { ...state, work: { ...state.work, again } };
}
