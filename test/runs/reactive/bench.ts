/** A run whose steps are decided one by one by a scripted language model, through the real planner and the real desk. */
import { reactive } from '../../../src/compose.ts';
import type { RunState } from '../../../src/kernel/state.ts';
import { vecToArray } from '../../../src/kernel/vec.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import type { ReactMessage } from '../../../src/model/react-message.ts';
import type { ReactiveOptions } from '../../../src/roles/reactive.ts';
import { type ModelTurn, type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { said } from '../planning/bench.ts';
import { type Rig, type RigOptions, rig } from '../rig.ts';

export interface ReactiveBench extends Rig {
  readonly model: ScriptedModel;
  /** The state of a run after each of its frames, taken again from its journal. */
  states(runId: string): Promise<readonly RunState[]>;
}

export type BenchOptions = Omit<RigOptions, 'plans'> & { readonly reactive?: Partial<ReactiveOptions> };

export function reactiveBench(turns: readonly ModelTurn[], options: BenchOptions = {}): ReactiveBench {
  const model = scriptedModel(turns);
  const { reactive: more, ...rest } = options;
  const planner = reactive({ model, ...more });
  // The bench scripts its planner; this one brings its own, which stands in for it.
  const bench = rig({ ...rest, options: { ...rest.options, planner } as RigOptions['options'] & object });
  return {
    ...bench,
    model,
    states: async (runId) => (await bench.runtime.replay(runId)).turns.map(({ state }) => state),
  };
}

/** A decision as a model that keeps to the schema writes it. */
export const decide = (
  tool: string,
  params: JsonObject = {},
  more: Readonly<Record<string, unknown>> = {},
): object => ({
  steps: [said('next', tool, params, more)],
});

export const respond: object = decide('respond', { objective: 'say what was found' });

/** What the model was shown in one of its requests, all messages in one. */
export const shownTo = (model: ScriptedModel, place: number): string =>
  (model.prompts[place]?.messages ?? []).map(({ text }) => text).join('\n');

export const messagesIn = (state: RunState | undefined): readonly ReactMessage[] =>
  state === undefined ? [] : vecToArray(state.react.messages);
