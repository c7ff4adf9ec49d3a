import type { Stop } from '../../../model/fault/terminal-code.ts';
import type { CallInDoubt } from '../../../model/gate/call-in-doubt.ts';
import type { KernelEnv } from '../../env.ts';
import { argsHashOfKey, callKey, type Doubt, toolOfKey } from '../../state/call-state.ts';
import { hasRule } from '../../state/rules.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { effectTool } from '../plan/tools.ts';
import { NO_DOUBTS } from './doubt.ts';

/** A call in doubt about which no person has decided, with its name: tool and arguments. */
type OpenDoubt = readonly [name: string, doubt: Doubt];

const NONE: readonly OpenDoubt[] = Object.freeze([]);

const openDoubts = ({ work }: Pick<RunState, 'work'>): readonly OpenDoubt[] =>
  work.doubts === NO_DOUBTS ? NONE : Object.entries(work.doubts).filter(([, { decided }]) => !decided);

const doubtedTool = ([name, { tool }]: OpenDoubt): string => tool ?? toolOfKey(name);

/**
 * The stop for a call whose tool has another call in doubt, under any arguments and through any dispatcher; null if
 * there is none. A planner could otherwise repeat an effect by changing one word of the arguments (ADR 0080).
 */
export function doubtOfTool(env: KernelEnv, state: RunState, call: CurrentStep): DoubtedTool | null {
  if (state.work.doubts === NO_DOUBTS || !hasRule(state, 'tools_in_doubt')) return null;
  const tool = effectTool(env, call);
  const own = callKey(call.tool, call.argsHash);
  const found = openDoubts(state).find((open) => doubtedTool(open) === tool && open[0] !== own);
  return found === undefined ? null : { stop: stopOf(found), isForeign: found[1].foreign === true };
}

interface DoubtedTool {
  readonly stop: Stop;
  /** Another run of the family made the call, and that run may know its outcome. */
  readonly isForeign: boolean;
}

/** The stop of a run that could succeed but for a call in doubt; null if there is none. Lanes leave their parent's. */
export function doubtAtEnd(state: RunState): Stop | null {
  if (state.work.doubts === NO_DOUBTS || !hasRule(state, 'tools_in_doubt')) return null;
  const inherited = state.laneContext?.doubts ?? [];
  const found = openDoubts(state).find(([name]) => !inherited.some(({ call }) => call === name));
  return found === undefined ? null : stopOf(found);
}

function stopOf([name, { key, until, sent }]: OpenDoubt): Stop {
  const detail = {
    step_id: sent?.step_id ?? '',
    tool: toolOfKey(name),
    args_hash: argsHashOfKey(name),
    ...(sent === undefined ? {} : { call_id: sent.call_id }),
    idempotency_key: key,
    settled_by: until,
  };
  return { code: 'REVIEW_REQUIRED', reason: 'call_in_doubt', detail };
}

/** The calls in doubt as a packet shows them; no field if there are none. */
export function shownDoubts(state: RunState): { readonly calls_in_doubt?: readonly CallInDoubt[] } {
  const open = hasRule(state, 'tools_in_doubt') ? openDoubts(state) : NONE;
  if (open.length === 0) return {};
  const calls_in_doubt = open.map((each): CallInDoubt => {
    const { key, since, until, sent } = each[1];
    const call = { tool: doubtedTool(each), idempotency_key: key, since, settled_by: until };
    return sent === undefined ? call : { ...call, sent };
  });
  return { calls_in_doubt };
}
