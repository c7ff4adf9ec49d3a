import type { KernelEnv } from './env.ts';
import { impossible, type Reaction } from './reaction.ts';
import type { CurrentStep, RunState } from './state.ts';

/**
 * Puts the same question to the next tool that was declared to answer it, where the one that was asked is not there.
 * Only one that reads, that the run may use and that takes the very arguments: a stand-in changes nothing else. Null
 * where there is none.
 */
export function askEquivalent(env: KernelEnv, state: RunState, current: CurrentStep): Reaction | null {
  const planned = state.planning.active?.plan.steps[current.index]?.tool;
  if (planned === undefined) throw impossible('a step without a plan', state);
  const declared = [planned, ...(env.tools.get(planned)?.equivalents ?? [])];
  const next = declared.slice(declared.indexOf(current.tool) + 1).find((tool) => standsIn(env, tool, current));
  if (next === undefined) return null;
  const { stepId: step_id, args, argsHash: args_hash, attempt, origin } = current;
  const call = { step_id, tool: next, args, args_hash, attempt, origin };
  return [{ ...state, current: { ...current, tool: next } }, [{ kind: 'clear_step', ...call }]];
}

function standsIn({ tools }: KernelEnv, tool: string, { args }: CurrentStep): boolean {
  const spec = tools.get(tool);
  const reads = spec?.active === true && !spec.side_effect && spec.approval_mode === 'read_only';
  return reads && tools.isAllowed(tool) && tools.checkArguments(tool, args).length === 0;
}
