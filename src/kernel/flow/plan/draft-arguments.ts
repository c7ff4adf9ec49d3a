import type { EffectOf } from '../../../model/events/effect.ts';
import { isJsonObject, type JsonObject } from '../../../model/json/json.ts';
import { jsonAt } from '../../../model/json/json-at.ts';
import type { Problem } from '../../../model/json/problem.ts';
import type { Drafts, DraftTask, PlanStep } from '../../../model/plan/plan.ts';
import { NO_COST } from '../../../model/tool/tool.ts';
import { type Need, reserve } from '../../budget/budget.ts';
import type { KernelEnv } from '../../env.ts';
import { completeArguments } from '../../query/call/complete-arguments.ts';
import { committedFact } from '../../query/evidence/committed.ts';
import { nextStep } from '../../query/plan/steps.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { launch, type Reaction } from '../../transition/reaction.ts';
import { resolveBindings } from '../../verify/bindings.ts';
import { draftsIn, putDrafts, readDraft } from '../../verify/drafts.ts';
import { escalateOverBudget } from '../people/escalate.ts';

/** The maximum model cost of drafting the arguments of one step. */
export function drafterNeed({ limits }: KernelEnv): Need {
  const { input_tokens, output_tokens, microusd } = limits.drafterCost ?? NO_COST;
  return { input_tokens, output_tokens, cost_microusd: microusd };
}

/** Asks for the drafts that a step needs before it goes to the gateway. */
export function requestDrafts(env: KernelEnv, state: RunState, step: PlanStep, resolved: JsonObject): Reaction {
  if (state.budget === null) throw impossibleEvent('a draft before the run has a budget', state);
  const reserved = reserve(state.budget, drafterNeed(env), 'executor');
  if (!reserved.ok) return escalateOverBudget(env, state, reserved);
  return launch({ ...state, budget: reserved.budget }, 'draft', draftEffect(step, resolved));
}

function draftEffect({ id, tool, params = {} }: PlanStep, resolved: JsonObject): EffectOf<'draft_arguments'> {
  const drafts = [...draftsIn(params).keys()].map((pointer): DraftTask => {
    const { $draft, using = [] } = readDraft(jsonAt(resolved, pointer));
    return { pointer, instruction: $draft, using };
  });
  return { kind: 'draft_arguments', step_id: id, tool, drafts };
}

/** The step that is being drafted, with its known arguments. */
export function stepInDraft(state: RunState): { readonly step: PlanStep; readonly resolved: JsonObject } {
  const step = nextStep(state)?.step;
  const resolved = step && resolveBindings(step.params ?? {}, (id) => committedFact(state, id)?.value);
  if (step === undefined || resolved?.ok !== true) throw impossibleEvent('a draft for no step', state);
  return { step, resolved: resolved.args };
}

/** Checks drafts with the tool's own schema, together with all other arguments of the step that is being drafted. */
export function checkDrafts(env: KernelEnv, state: RunState, drafts: Drafts): readonly Problem[] {
  const { step, resolved } = stepInDraft(state);
  const args = putDrafts(step.params ?? {}, resolved, drafts);
  if (args === undefined || !isJsonObject(args)) {
    return [{ code: 'argument_invalid', path: '', message: 'what was written is no object, and arguments are one' }];
  }
  return env.tools.checkArguments(step.tool, completeArguments(env, state, step.tool, args));
}

/** The same request again, for a process that resumes the run. */
export function draftAgain(state: RunState): EffectOf<'draft_arguments'> {
  const { step, resolved } = stepInDraft(state);
  return draftEffect(step, resolved);
}
