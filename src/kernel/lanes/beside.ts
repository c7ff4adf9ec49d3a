import { address } from '../../model/hash.ts';
import type { ToolSpec } from '../../model/tool.ts';
import { callOrigin } from '../call-origin.ts';
import { committedFact } from '../committed-fact.ts';
import { draftedArgs } from '../draft/drafted-args.ts';
import { editedArgs } from '../edited-args.ts';
import type { KernelEnv } from '../env.ts';
import type { CurrentStep, RunState } from '../state.ts';
import { vecGet } from '../vec.ts';
import { resolveBindings } from '../verify/resolve-bindings.ts';

/** Lanes, and what only reads. What changes something, says something or waits for a decision has its turn alone. */
export function canRunBeside({ catalog }: KernelEnv, { lane, side_effect, speaks, unwrap, name }: ToolSpec): boolean {
  if (speaks !== undefined || unwrap !== undefined) return false;
  if (lane === undefined && side_effect) return false;
  for (const { actions } of catalog.values()) if (actions.includes(name)) return false;
  return true;
}

/** The next step of the plan that needs nothing of those already taken, with its call; null where there is none. */
export function nextBeside(env: KernelEnv, state: RunState, taken: readonly number[]): CurrentStep | null {
  const { active } = state.planning;
  if (active === null) return null;
  for (let place = state.work.cursor; place < active.index.order.length; place += 1) {
    const index = active.index.order[place] ?? -1;
    if (taken.includes(index) || !isReady(state, index)) continue;
    const call = callOf(env, state, index);
    if (call !== null) return call;
  }
  return null;
}

function isReady(state: RunState, index: number): boolean {
  if (vecGet(state.work.progress, index)?.status !== 'pending') return false;
  const dependencies = state.planning.active?.index.dependencies[index] ?? [];
  return dependencies.every((other) => vecGet(state.work.progress, other)?.status === 'committed');
}

/** The call exactly as it would be selected alone; null where that takes more than looking at what is committed. */
function callOf(env: KernelEnv, state: RunState, index: number): CurrentStep | null {
  const step = state.planning.active?.plan.steps[index];
  const spec = step === undefined ? undefined : env.tools.get(step.tool);
  if (step === undefined || spec === undefined || !canRunBeside(env, spec)) return null;
  const params = step.params ?? {};
  const resolved = resolveBindings(params, (id) => committedFact(state, id)?.value);
  if (!resolved.ok || editedArgs(state, step.id) !== null) return null;
  if (env.limits.drafterCost !== null && draftedArgs(state, step, resolved.args) !== resolved.args) return null;
  const args = env.tools.complete(step.tool, resolved.args);
  return {
    index,
    stepId: step.id,
    tool: step.tool,
    rung: 'intended',
    args,
    argsHash: address(env.hash, args),
    origin: callOrigin(env, state, step, args, resolved.args !== params),
    mode: 'destructive',
    attempt: (vecGet(state.work.progress, index)?.attempts ?? 0) + 1,
    call: null,
    observed: null,
    reserved: null,
    notBefore: 0,
  };
}
