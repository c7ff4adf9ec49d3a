import type { Stop } from '../../../model/fault/stop.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import type { CurrentStep, RunState, Work } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';

/** The initial value: no approved repeats. */
export const NO_APPROVED_REPEATS: Work['approvedRepeats'] = Object.freeze({});

const callKey = (tool: string, argsHash: string): string => `${tool} ${argsHash}`;

/**
 * Stops the run for review if an equal call had its effect within the duplicate window, under any step or plan. Call it
 * only for calls that the run has made before.
 */
export function findDuplicate(env: KernelEnv, state: RunState, spec: ToolSpec, current: CurrentStep): Stop | null {
  if (!spec.side_effect || spec.idempotency.kind === 'natural') return null;
  const { stepId, tool, argsHash } = current;
  const doneAt = findLastDone(state, current, state.now - env.limits.duplicateWindowMs);
  if (doneAt === null) return null;
  const until = doneAt + env.limits.duplicateWindowMs;
  if (repeatAllowedFrom(state, current) === until) return null;
  const detail = { step_id: stepId, tool, args_hash: argsHash, again_from: until };
  return { code: 'REVIEW_REQUIRED', reason: 'duplicate_action', detail };
}

/** The time of the last equal call with an effect, or null if there was none after `since`. */
function findLastDone({ work }: RunState, { tool, argsHash }: CurrentStep, since: number): number | null {
  for (let place = work.effects.size - 1; place >= 0; place -= 1) {
    const made = vecGet(work.effects, place);
    if (made === undefined || made.doneAt <= since) return null;
    if (made.tool === tool && made.argsHash === argsHash) return made.doneAt;
  }
  return null;
}

/** The earliest start of an approved repeat: the end of the duplicate window. */
export function repeatAllowedFrom({ work }: RunState, { tool, argsHash }: CurrentStep): number {
  if (work.approvedRepeats === NO_APPROVED_REPEATS) return 0;
  const name = callKey(tool, argsHash);
  return Object.hasOwn(work.approvedRepeats, name) ? (work.approvedRepeats[name] ?? 0) : 0;
}

/** Approves a repeat of the call that the person was shown, and of no other. */
export function approveRepeat(state: RunState, { tool, args_hash, again_from }: JsonObject): RunState {
  if (typeof tool !== 'string' || typeof args_hash !== 'string' || typeof again_from !== 'number') return state;
  const again = { ...state.work.approvedRepeats, [callKey(tool, args_hash)]: again_from };
  return { ...state, work: { ...state.work, approvedRepeats: again } };
}
