/** A run whose plans come from a scripted language model, through the real planner and model client. */
import { planFirst } from '../../../src/compose.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import type { PlanFirstOptions } from '../../../src/roles/plan-first.ts';
import { type ModelTurn, type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { type Rig, type RigOptions, rig } from '../rig.ts';

export interface PlanningBench extends Rig {
  readonly model: ScriptedModel;
}

export type PlanningOptions = Omit<RigOptions, 'plans'> & { readonly planFirst?: Partial<PlanFirstOptions> };

export function planningBench(turns: readonly ModelTurn[], options: PlanningOptions = {}): PlanningBench {
  const model = scriptedModel(turns);
  return { ...benchWith(model, options), model };
}

export function benchWith(model: PlanFirstOptions['model'], { planFirst: more, ...options }: PlanningOptions): Rig {
  const planner = planFirst({ model, ...more });
  // The rig scripts its own planner; this option replaces it.
  return rig({ ...options, options: { ...options.options, planner } as RigOptions['options'] & object });
}

/** A step as a model writes it under the plan schema, with its filler values. */
export function plannedStep(
  id: string,
  tool: string,
  params: JsonObject = {},
  more: Readonly<Record<string, unknown>> = {},
): object {
  const fillers = { depends_on: [], context_key: null, inputs: [], success_criteria: null };
  return { id, tool, task_objective: `use ${tool}`, params, ...fillers, ...more };
}

export const plan = (...steps: readonly object[]): object => ({ steps });

/** The steps of every plan that passed verification, in order. */
export function verifiedPlans(events: readonly RunEvent[]): readonly (readonly PlanStep[])[] {
  let proposed: readonly PlanStep[] = [];
  return events.flatMap((event) => {
    if (event.type === 'plan_proposed') proposed = (event.proposal as { steps?: readonly PlanStep[] }).steps ?? [];
    return event.type === 'plan_verified' && event.verdict === 'ok' ? [event.plan?.steps ?? proposed] : [];
  });
}

export const of = <T extends RunEvent['type']>(events: readonly RunEvent[], type: T): readonly RunEventOf<T>[] =>
  events.filter((event): event is RunEventOf<T> => event.type === type);

type RunEventOf<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>;
