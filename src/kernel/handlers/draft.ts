import type { EventOf } from '../../model/events/event.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { PlanStep } from '../../model/plan/plan.ts';
import { isHeld } from '../../model/run/session-status.ts';
import { settle } from '../budget/budget.ts';
import type { KernelEnv } from '../env.ts';
import { escalateRun } from '../flow/people/escalate.ts';
import { advance } from '../flow/plan/advance.ts';
import { checkDrafts, drafterNeed, stepInDraft } from '../flow/plan/draft-arguments.ts';
import { replanUnfitStep } from '../flow/plan/replan.ts';
import { keepDrafts } from '../query/plan/drafts.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { RunState } from '../state/run-state.ts';
import { land, NO_EFFECTS, type Reaction, type Reacts, raise } from '../transition/reaction.ts';
import { draftsIn } from '../verify/drafts.ts';

/** Provider failures that a new plan would not fix. The drafter has already retried them. */
const OUTAGES: ReadonlySet<string> = new Set([
  'model_unreachable',
  'model_overloaded',
  'model_timeout',
  'model_rejected',
  'model_misconfigured',
]);

/** Charges a draft, checks it against the tool's schema, and keeps it for every attempt of the step. */
export const onArgumentsDrafted: Reacts<'arguments_drafted'> = (env, state, event) => {
  const landed = land(state, 'draft');
  if (landed.budget === null) throw impossibleEvent('a draft before the run has a budget', state);
  const { step } = stepInDraft(landed);
  if (step.id !== event.step_id) throw impossibleEvent(`a draft for ${event.step_id}, not for ${step.id}`, state);
  const { input_tokens, output_tokens, microusd: cost_microusd } = event.spent;
  const settled = settle(landed.budget, drafterNeed(env), { input_tokens, output_tokens, cost_microusd }, 'executor');
  const paid: RunState = { ...landed, budget: settled.budget };
  if (settled.overrun !== null) {
    const detail = { dimension: settled.overrun };
    return [raise(paid, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail }), NO_EFFECTS];
  }
  if (paid.ending.stops.length > 0) return [paid, NO_EFFECTS];
  if (event.failure !== undefined) return handleFailure(env, paid, event);
  assertOpenArgs(state, step, event);
  const problems = checkDrafts(env, paid, event.drafts);
  if (problems.length > 0) return rejectDraft(env, paid, step.id, problems);
  return advance(env, keepDrafts(paid, step.id, event.drafts));
};

/** Requires exactly the open arguments: a draft cannot change other parts of the plan. */
function assertOpenArgs(state: RunState, { params = {} }: PlanStep, { drafts }: EventOf<'arguments_drafted'>): void {
  const places = draftsIn(params);
  const written = Object.keys(drafts);
  if (written.length !== places.size || written.some((pointer) => !places.has(pointer))) {
    throw impossibleEvent('a draft of something else than the plan leaves open', state);
  }
}

function handleFailure(env: KernelEnv, state: RunState, { step_id, failure }: EventOf<'arguments_drafted'>): Reaction {
  // A paused run asks for the draft again when it continues.
  if (failure === undefined || isHeld(state.session.status)) return [state, NO_EFFECTS];
  const { code, message } = failure;
  if (!OUTAGES.has(code)) return replanUnfitStep(env, state, step_id, { code, message, detail: { drafted: true } });
  return escalateRun(env, state, 'provider_outage', {
    code: 'UNAVAILABLE_DEP',
    reason: code,
    detail: { dependency: 'drafter', step_id, message },
  });
}

function rejectDraft(env: KernelEnv, state: RunState, stepId: string, problems: readonly Problem[]): Reaction {
  if (isHeld(state.session.status)) return [state, NO_EFFECTS];
  const [first] = problems;
  const message = `what was written for it does not fit: ${problems.map((problem) => problem.message).join('; ')}`;
  const detail = { drafted: true, problems: problems.map((problem) => ({ ...problem })) };
  return replanUnfitStep(env, state, stepId, { code: first?.code ?? 'argument_invalid', message, detail });
}
