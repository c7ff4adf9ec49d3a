import { address } from '../../../model/json/hash.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';
import { resolveBindings } from '../../verify/bindings.ts';
import { completeArguments } from '../call/complete-arguments.ts';
import { committedFact } from '../evidence/committed.ts';
import { draftedArgs, editedArgs } from '../plan/drafts.ts';
import { resolveStepInputs } from '../plan/step-inputs.ts';
import { callOrigin } from '../provenance/call-origin.ts';

/**
 * Whether a step can run in parallel: lanes and read-only tools. Tools with side effects, speaking tools and tools that
 * need a decision run alone.
 */
export function canRunInParallel(
  { catalog }: KernelEnv,
  { lane, side_effect, speaks, unwrap, name }: ToolSpec,
): boolean {
  if (speaks !== undefined || unwrap !== undefined) return false;
  if (lane === undefined && side_effect) return false;
  for (const { actions } of catalog.values()) if (actions.includes(name)) return false;
  return true;
}

/** The next step, with its call, whose dependencies are committed and that is not in `taken`. Null if there is none. */
export function nextParallelStep(env: KernelEnv, state: RunState, taken: readonly number[]): CurrentStep | null {
  const { active } = state.planning;
  if (active === null) return null;
  for (let place = state.work.cursor; place < active.index.order.length; place += 1) {
    const index = active.index.order[place] ?? -1;
    if (taken.includes(index) || !isReady(state, index)) continue;
    const call = buildCall(env, state, index);
    if (call !== null) return call;
  }
  return null;
}

function isReady(state: RunState, index: number): boolean {
  if (vecGet(state.work.progress, index)?.status !== 'pending') return false;
  const dependencies = state.planning.active?.index.dependencies[index] ?? [];
  return dependencies.every((other) => vecGet(state.work.progress, other)?.status === 'committed');
}

/** The call as it would be selected alone. Null if it needs more than committed values. */
function buildCall(env: KernelEnv, state: RunState, index: number): CurrentStep | null {
  const step = state.planning.active?.plan.steps[index];
  const spec = step === undefined ? undefined : env.tools.get(step.tool);
  if (step === undefined || spec === undefined || !canRunInParallel(env, spec)) return null;
  const params = step.params ?? {};
  const resolved = resolveBindings(params, (id) => committedFact(state, id)?.value);
  if (!resolved.ok || editedArgs(state, step.id) !== null) return null;
  if (env.limits.drafterCost !== null && draftedArgs(state, step, resolved.args) !== resolved.args) return null;
  // A step lane has the arguments of its call only.
  const delivered = resolveStepInputs(env, state, index, step);
  if (!delivered.ok || delivered.call.inputs !== undefined) return null;
  const args = completeArguments(env, state, step.tool, resolved.args);
  const call = { args, argsHash: address(env.hash, args) };
  return {
    index,
    stepId: step.id,
    tool: step.tool,
    rung: 'intended',
    ...call,
    origin: callOrigin(env, state, step, call, resolved.args !== params),
    mode: 'destructive',
    attempt: (vecGet(state.work.progress, index)?.attempts ?? 0) + 1,
    call: null,
    observed: null,
    reserved: null,
    notBefore: 0,
  };
}
