import type { EventOf } from '../../model/event.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { PlanStep } from '../../model/plan.ts';
import type { Problem } from '../../model/problem.ts';
import { advance } from '../advance.ts';
import { settle } from '../budget.ts';
import { raise } from '../closing.ts';
import type { KernelEnv } from '../env.ts';
import { escalateRun } from '../escalate-run.ts';
import { land } from '../flight.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { isHeld } from '../suspend.ts';
import { unfitStep } from '../unfit-plan.ts';
import { drafterNeed, stepInDraft } from './ask-drafter.ts';
import { draftsIn, putDrafts } from './draft-places.ts';
import { keepDrafts } from './drafted-args.ts';

/** Somebody else's machine is not there, which no other plan changes. Whoever asked has asked again already. */
const OUTAGES: ReadonlySet<string> = new Set([
  'model_unreachable',
  'model_overloaded',
  'model_timeout',
  'model_rejected',
  'model_misconfigured',
]);

/**
 * What the plan left open has been written, or nobody could. It is paid for, held against what the tool takes, kept as it
 * is for every attempt of the step, and from here on goes the way of all arguments.
 */
export const onArgumentsDrafted: Reacts<'arguments_drafted'> = (env, state, event) => {
  const landed = land(state, 'draft');
  if (landed.budget === null) throw impossible('a draft before the run has a budget', state);
  const { step, resolved } = stepInDraft(landed);
  if (step.id !== event.step_id) throw impossible(`a draft for ${event.step_id}, not for ${step.id}`, state);
  const { input_tokens, output_tokens, microusd: cost_microusd } = event.spent;
  const settled = settle(landed.budget, drafterNeed(env), { input_tokens, output_tokens, cost_microusd }, 'executor');
  const paid: RunState = { ...landed, budget: settled.budget };
  if (settled.overrun !== null) {
    const detail = { dimension: settled.overrun };
    return [raise(paid, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail }), NOTHING];
  }
  if (paid.ending.stops.length > 0) return [paid, NOTHING];
  if (event.failure !== undefined) return undrafted(env, paid, event);
  assertPlaces(state, step, event);
  const problems = problemsWith(env, step, resolved, event);
  if (problems.length > 0) return misdrafted(env, paid, step.id, problems);
  return advance(env, keepDrafts(paid, step.id, event.drafts));
};

/** Exactly what was left open is written, and nothing else: a draft cannot change what the plan says itself. */
function assertPlaces(state: RunState, { params = {} }: PlanStep, { drafts }: EventOf<'arguments_drafted'>): void {
  const places = draftsIn(params);
  const written = Object.keys(drafts);
  if (written.length !== places.size || written.some((pointer) => !places.has(pointer))) {
    throw impossible('a draft of something else than the plan leaves open', state);
  }
}

function problemsWith(
  env: KernelEnv,
  { tool, params = {} }: PlanStep,
  resolved: JsonObject,
  { drafts }: EventOf<'arguments_drafted'>,
): readonly Problem[] {
  const args = putDrafts(params, resolved, drafts);
  if (args === undefined || !isJsonObject(args)) {
    return [{ code: 'argument_invalid', path: '', message: 'what was written is no object, and arguments are one' }];
  }
  return env.tools.checkArguments(tool, env.tools.complete(tool, args));
}

function undrafted(env: KernelEnv, state: RunState, { step_id, failure }: EventOf<'arguments_drafted'>): Reaction {
  // Somebody paused the run meanwhile: whoever lets it go on has it written again.
  if (failure === undefined || isHeld(state.session.status)) return [state, NOTHING];
  const { code, message } = failure;
  if (!OUTAGES.has(code)) return unfitStep(env, state, step_id, { code, message, detail: { drafted: true } });
  return escalateRun(env, state, 'provider_outage', {
    code: 'UNAVAILABLE_DEP',
    reason: code,
    detail: { dependency: 'drafter', step_id, message },
  });
}

function misdrafted(env: KernelEnv, state: RunState, stepId: string, problems: readonly Problem[]): Reaction {
  if (isHeld(state.session.status)) return [state, NOTHING];
  const [first] = problems;
  const message = `what was written for it does not fit: ${problems.map((problem) => problem.message).join('; ')}`;
  const detail = { drafted: true, problems: problems.map((problem) => ({ ...problem })) };
  return unfitStep(env, state, stepId, { code: first?.code ?? 'argument_invalid', message, detail });
}
