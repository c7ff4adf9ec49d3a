/** A bench for runs with scripted judges. */

import { modelJudge } from '../../../src/compose.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { LanguageModel, ModelProfile } from '../../../src/ports/model/language-model.ts';
import type { ModelJudgeOptions } from '../../../src/roles/model-judge.ts';
import { type ModelTurn, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';

export const profile = (name: string, model: LanguageModel): ModelProfile => ({
  name,
  model,
  fallbacks: [],
  parameters: { temperature: 0, outputTokensMax: 500, structured: true },
  requestTimeoutMs: 5_000,
  price: { input: 1_000_000, output: 2_000_000 },
  retry: { attempts: 1, baseMs: 10, jitter: 0, waitMsMax: 1_000 },
});

/** The answer of a judge with the criterion `quality`. */
export const judgeAnswer = (quality: number, reason = 'as it is', more: JsonObject = {}): ModelTurn => ({
  criteria: { quality, ...more },
  reason,
});

export interface JudgeScript extends Partial<Omit<ModelJudgeOptions, 'model' | 'safer'>> {
  readonly says: readonly ModelTurn[];
  readonly safer?: readonly ModelTurn[];
}

/** By default it judges the steps of every tool, but not the run. */
export function judge({ says, safer, ...options }: JudgeScript): ReturnType<typeof modelJudge> {
  const name = options.name ?? 'reader';
  return modelJudge({
    name,
    version: '1',
    criteria: { quality: 'The work is good.' },
    applies: { run: false },
    model: profile(`${name}-usual`, scriptedModel(says)),
    ...(safer === undefined ? {} : { safer: profile(`${name}-safer`, scriptedModel(safer)) }),
    ...options,
  });
}

export const STEP = { id: 'a', tool: 'work' } as const;
export const repeatPlan = (count: number, step: JsonObject = {}): readonly ReturnType<typeof planOf>[] =>
  Array.from({ length: count }, (_, place) => planOf([{ ...STEP, ...step }], { plan_id: `plan_${place + 1}` }));

/** One tool whose result meets the goal. */
export const judgedRig = (scripts: readonly JudgeScript[], options: RigOptions = {}): Rig =>
  rig({
    tools: { work: { produces: ['done'] } },
    plans: repeatPlan(1),
    ...options,
    world: { judges: scripts.map(judge), ...options.world },
  });
