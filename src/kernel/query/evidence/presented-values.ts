import { isJsonList, type Json } from '../../../model/json/json.ts';
import { Binding, looksLikeBinding } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import type { RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';
import { keysOf } from '../../verify/validate-step.ts';
import { endsByAnswer } from '../plan/completion.ts';
import { carryOver, doneSteps } from '../plan/steps.ts';

/** A committed value that the answer shows, and the observation behind it. */
interface Presented {
  readonly key: string;
  readonly value: Json;
  readonly observation: string;
  /** The tool that returned the value. */
  readonly tool: string;
}

/** The values that the active plan wants shown: the committed inputs of its completed `respond` steps. */
export function presentedValues(env: KernelEnv, state: RunState): readonly Presented[] {
  const steps = state.planning.active?.plan.steps ?? [];
  const respondSteps = steps.filter(
    ({ tool }, index) =>
      env.tools.get(tool)?.speaks === 'respond' && vecGet(state.work.progress, index)?.status === 'committed',
  );
  const keys = new Set(respondSteps.flatMap(({ inputs = [] }) => inputs.flatMap(keysOf).map(({ key }) => key)));
  if (keys.size === 0) return endsByAnswer(state) ? observedValues(env, state) : [];
  const { steps: done, fillers } = carryOver(state);
  return [...keys].flatMap((key): readonly Presented[] => {
    const fact = assocGet(done, assocGet(fillers, key) ?? '')?.fact;
    return fact === undefined ? [] : [{ key, value: fact.value, observation: fact.evidenceId, tool: fact.source }];
  });
}

/** Everything that was observed. Without criteria and inputs nothing else says what the answer is about. */
function observedValues(env: KernelEnv, state: RunState): readonly Presented[] {
  return doneSteps(state)
    .filter(({ step }) => env.tools.get(step.tool)?.speaks === undefined)
    .map(({ step: { id, context_key: key = id }, fact }) => ({
      key,
      value: fact.value,
      observation: fact.evidenceId,
      tool: fact.source,
    }));
}

/** The JSON Pointers into a step's answer that later steps and the output are bound to, sorted. */
export function boundParts({ planning }: RunState, stepId: string): readonly string[] {
  const places = new Set<string>();
  const { steps = [], output } = planning.active?.plan ?? {};
  for (const { params } of steps) if (params !== undefined) collectBoundPaths(params, stepId, places);
  if (output !== undefined) collectBoundPaths(output, stepId, places);
  return [...places].toSorted();
}

function collectBoundPaths(value: Json, stepId: string, places: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const bound: boolean = looksLikeBinding(value);
  if (!bound) {
    for (const child of isJsonList(value) ? value : Object.values(value)) collectBoundPaths(child, stepId, places);
    return;
  }
  const read = Binding.safeParse(value);
  if (read.success && read.data.$from === stepId) places.add(read.data.path);
}
