import type { DraftTask } from '../../model/draft.ts';
import type { EffectOf } from '../../model/effect.ts';
import type { JsonObject } from '../../model/json.ts';
import { jsonAt } from '../../model/json-at.ts';
import type { PlanStep } from '../../model/plan.ts';
import { NO_COST } from '../../model/tool.ts';
import { type Need, reserve } from '../budget.ts';
import { committedFact } from '../committed-fact.ts';
import type { KernelEnv } from '../env.ts';
import { overBudget } from '../escalate-run.ts';
import { launch } from '../flight.ts';
import { nextStep } from '../next-step.ts';
import { impossible, type Reaction } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { resolveBindings } from '../verify/resolve-bindings.ts';
import { draftsIn, readDraft } from './draft-places.ts';

/** The most that writing the arguments of one step may take of models. */
export function drafterNeed({ limits }: KernelEnv): Need {
  const { input_tokens, output_tokens, microusd } = limits.drafterCost ?? NO_COST;
  return { input_tokens, output_tokens, cost_microusd: microusd };
}

/** Has the arguments written that the plan leaves open, before the step is put before the gateway. */
export function askDrafter(env: KernelEnv, state: RunState, step: PlanStep, resolved: JsonObject): Reaction {
  if (state.budget === null) throw impossible('a draft before the run has a budget', state);
  const reserved = reserve(state.budget, drafterNeed(env), 'executor');
  if (!reserved.ok) return overBudget(env, state, reserved);
  return launch({ ...state, budget: reserved.budget }, 'draft', draftEffect(step, resolved));
}

function draftEffect({ id, tool, params = {} }: PlanStep, resolved: JsonObject): EffectOf<'draft_arguments'> {
  const drafts = [...draftsIn(params).keys()].map((pointer): DraftTask => {
    const { $draft, using = [] } = readDraft(jsonAt(resolved, pointer));
    return { pointer, instruction: $draft, using };
  });
  return { kind: 'draft_arguments', step_id: id, tool, drafts };
}

/** The step that is being written for, and its arguments as far as they are known. */
export function stepInDraft(state: RunState): { readonly step: PlanStep; readonly resolved: JsonObject } {
  const step = nextStep(state)?.step;
  const resolved = step && resolveBindings(step.params ?? {}, (id) => committedFact(state, id)?.value);
  if (step === undefined || resolved?.ok !== true) throw impossible('a draft for no step', state);
  return { step, resolved: resolved.args };
}

/** The same question once more, for whoever takes the run over. */
export function draftAgain(state: RunState): EffectOf<'draft_arguments'> {
  const { step, resolved } = stepInDraft(state);
  return draftEffect(step, resolved);
}
