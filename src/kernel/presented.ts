import type { Json } from '../model/json.ts';
import { assocGet } from './assoc.ts';
import { carryOver } from './carry.ts';
import type { KernelEnv } from './env.ts';
import type { RunState } from './state.ts';
import { vecGet } from './vec.ts';
import { keysOf } from './verify/validate-step.ts';

/** A committed value that the answer is to show, and the observation it stands on. */
export interface Presented {
  readonly key: string;
  readonly value: Json;
  readonly observation: string;
}

/** What the plan in force says is to be shown: the inputs of its steps that respond, as far as they were committed. */
export function presented(env: KernelEnv, state: RunState): readonly Presented[] {
  const steps = state.planning.active?.plan.steps ?? [];
  const telling = steps.filter(
    ({ tool }, index) =>
      env.tools.get(tool)?.speaks === 'respond' && vecGet(state.work.progress, index)?.status === 'committed',
  );
  const keys = new Set(telling.flatMap(({ inputs = [] }) => inputs.flatMap(keysOf).map(({ key }) => key)));
  if (keys.size === 0) return [];
  const { steps: done, fillers } = carryOver(state);
  return [...keys].flatMap((key): readonly Presented[] => {
    const fact = assocGet(done, assocGet(fillers, key) ?? '')?.fact;
    return fact === undefined ? [] : [{ key, value: fact.value, observation: fact.evidenceId }];
  });
}
