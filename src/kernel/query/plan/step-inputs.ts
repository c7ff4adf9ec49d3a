import type { PlanStep } from '../../../model/plan/plan.ts';
import { type StepInput, takesInputs } from '../../../model/tool/step-input.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import { hasRule } from '../../state/rules.ts';
import type { Fact, RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';
import { keysOf } from '../../verify/validate-step.ts';

/** The inputs of a call; absent if it has none. */
export interface CallInputs {
  readonly inputs?: readonly StepInput[];
}

type ResolvedInputs =
  | { readonly ok: true; readonly call: CallInputs }
  | { readonly ok: false; readonly key: string; readonly message: string };

const NO_INPUTS: ResolvedInputs = Object.freeze({ ok: true, call: Object.freeze({}) });

/**
 * Resolves the `inputs` of a step to committed results. A key means the earlier step of this plan that fills it, or
 * else the step that filled it last before this plan.
 */
export function resolveStepInputs(env: KernelEnv, state: RunState, index: number, step: PlanStep): ResolvedInputs {
  if (step.inputs === undefined || step.inputs.length === 0 || !hasRule(state, 'inputs_delivered')) return NO_INPUTS;
  const spec = env.tools.get(step.tool);
  if (spec === undefined || !takesInputs(spec)) return NO_INPUTS;
  const inputs: StepInput[] = [];
  for (const key of new Set(step.inputs.flatMap((input) => keysOf(input).map((named) => named.key)))) {
    const filled = findFilled(state, index, key);
    if (filled === null) return { ok: false, key, message: `nothing was committed under the context key "${key}"` };
    const { stepId: step_id, fact } = filled;
    const { value, evidenceId: evidence_id, source, trusted } = fact;
    inputs.push({ key, types: env.tools.get(source)?.produces ?? [], value, step_id, evidence_id, source, trusted });
  }
  return { ok: true, call: { inputs } };
}

interface FilledKey {
  readonly stepId: string;
  readonly fact: Fact;
}

function findFilled(state: RunState, index: number, key: string): FilledKey | null {
  const { planning, work } = state;
  const { active } = planning;
  // The step depends on every earlier step of the plan that fills one of its keys.
  for (const place of active?.index.dependencies[index] ?? []) {
    const step = active?.plan.steps[place];
    if (step?.context_key !== key || place >= index) continue;
    const fact = vecGet(work.progress, place)?.fact ?? null;
    return fact === null ? null : { stepId: step.id, fact };
  }
  const carried = assocGet(work.carried.steps, assocGet(work.carried.fillers, key) ?? '');
  return carried?.step.context_key === key ? { stepId: carried.step.id, fact: carried.fact } : null;
}
