/** A run decided step by step by a scripted language model, through the real planner and model client. */
import { reactive } from '../../../src/compose.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { vecToArray } from '../../../src/kernel/state/vec.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { ReactMessage } from '../../../src/model/plan/react-message.ts';
import type { ReactiveOptions } from '../../../src/roles/reactive.ts';
import { type ModelTurn, type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { plannedStep } from '../planning/bench.ts';
import { type Rig, type RigOptions, rig } from '../rig.ts';

export interface ReactiveBench extends Rig {
  readonly model: ScriptedModel;
  /** The state of a run after each frame, replayed from its journal. */
  states(runId: string): Promise<readonly RunState[]>;
}

export type BenchOptions = Omit<RigOptions, 'plans'> & { readonly reactive?: Partial<ReactiveOptions> };

export function reactiveBench(turns: readonly ModelTurn[], options: BenchOptions = {}): ReactiveBench {
  const model = scriptedModel(turns);
  const { reactive: more, ...rest } = options;
  const planner = reactive({ model, ...more });
  // `rig` scripts its planner; this planner replaces it.
  const bench = rig({ ...rest, options: { ...rest.options, planner } as RigOptions['options'] & object });
  return {
    ...bench,
    model,
    states: async (runId) => (await bench.runtime.records.replay(runId)).turns.map(({ state }) => state),
  };
}

/** A decision that follows the schema. */
export const decide = (
  tool: string,
  params: JsonObject = {},
  more: Readonly<Record<string, unknown>> = {},
): object => ({
  steps: [plannedStep('next', tool, params, more)],
});

export const respond: object = decide('respond', { objective: 'say what was found' });

/** The messages of one model request, joined. */
export const shownTo = (model: ScriptedModel, place: number): string =>
  (model.prompts[place]?.messages ?? []).map(({ text }) => text).join('\n');

export const messagesIn = (state: RunState | undefined): readonly ReactMessage[] =>
  state === undefined ? [] : vecToArray(state.react.messages);
