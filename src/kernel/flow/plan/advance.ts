import { violation } from '../../../model/events/effect-kinds.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import { isHeld } from '../../../model/run/session-status.ts';
import { hashCall } from '../../../model/tool/step-input.ts';
import { atRisk, earlyStop } from '../../budget/estimate.ts';
import { remaining } from '../../budget/view.ts';
import type { KernelEnv } from '../../env.ts';
import { completeArguments } from '../../query/call/complete-arguments.ts';
import { clearStep } from '../../query/call/tool-call.ts';
import { committedFact } from '../../query/evidence/committed.ts';
import { openConflict } from '../../query/gate/escalation-cause.ts';
import { admitProposal, questionFromPayload } from '../../query/gate/model-request.ts';
import { draftedArgs, editedArgs } from '../../query/plan/drafts.ts';
import { estimateBefore } from '../../query/plan/estimate-plan.ts';
import { isReactive, routeOf, tooManySteps } from '../../query/plan/reactive-route.ts';
import { directAnswer, directReply, refusesAction } from '../../query/plan/reasoning.ts';
import { resolveStepInputs } from '../../query/plan/step-inputs.ts';
import { nextStep } from '../../query/plan/steps.ts';
import { callOrigin } from '../../query/provenance/call-origin.ts';
import { elapsedMs, impossibleEvent } from '../../state/lifecycle.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';
import { NO_EFFECTS, type Reaction, type Reacts, raise } from '../../transition/reaction.ts';
import { canWalk, isAtNode, pathToEligibility, walk } from '../../transition/walk.ts';
import { resolveBindings } from '../../verify/bindings.ts';
import { takeReturned, waitForLanes } from '../lane/lane.ts';
import { askUser, handleModelRequest } from '../people/ask-user.ts';
import { escalateOverBudget, escalateRun } from '../people/escalate.ts';
import { judgeShortage, requestRunJudgement } from '../people/judge.ts';
import { requestDrafts } from './draft-arguments.ts';
import { markUnfit, replan, replanUnfitStep } from './replan.ts';
import { verifyAgain } from './verify-again.ts';

/**
 * Asks the user if the plan ends with a question; the planner continues with the answer. Null for other plans. If the
 * model has no right to ask, the run notes a violation and continues.
 */
function askFinalQuestion(
  env: KernelEnv,
  state: RunState,
  continueRun: (env: KernelEnv, state: RunState) => Reaction,
): Reaction | null {
  const active = state.planning.active;
  const last = active?.plan.steps.at(-1);
  if (active === null || last === undefined || env.tools.get(last.tool)?.speaks !== 'clarify') return null;
  const question = committedFact(state, last.id);
  if (question === null) return null;
  const kind = 'clarification_request';
  const rights = active.author === 'host' ? undefined : state.manifest?.autonomy_boundary.decision_rights;
  const admitted = admitProposal(kind, rights);
  if (!admitted.ok) {
    const [next, effects] = continueRun(env, state);
    return [next, [violation('proposal', kind, admitted.message), ...effects]];
  }
  const planning = canWalk(env, state, 'plan') ? walk(env, state, 'plan') : state;
  return askUser(env, planning, questionFromPayload(question.value));
}

/** Continues the active plan: sends the next step to the gateway, or the run to the critic if all are settled. */
export function advance(env: KernelEnv, state: RunState): Reaction {
  if (isHeld(state.session.status)) return [state, NO_EFFECTS];
  if (state.lanes !== undefined) return waitForLanes(state) ?? takeReturned(env, state);
  const handled = handleModelRequest(env, state) ?? verifyAgain(env, state);
  if (handled !== null) return handled;
  const next = nextStep(state);
  if (next === null) return finishPlan(env, state);
  if (isReactive(env) && routeOf(env, state).to === 'error')
    return [raise(state, tooManySteps(env, state)), NO_EFFECTS];
  if (state.budget === null) throw impossibleEvent('work before the run has a budget', state);
  // The current step already has its reservation; counting it twice would stop a run that can finish.
  if (state.current?.index === next.index) return selectStep(env, state, next.index, next.step);
  const left = remaining(state.budget, elapsedMs(state));
  const shortage = earlyStop(left, state.work.estimate) ?? judgeShortage(env, state, next.step);
  if (shortage !== null) return escalateOverBudget(env, state, shortage, 'early_stop');
  const risk = atRisk(left, estimateBefore(env, state, next.step));
  if (risk === null || risk.dimension === state.work.foreseen) return selectStep(env, state, next.index, next.step);
  const warned = { ...state, work: { ...state.work, foreseen: risk.dimension } };
  const [selected, effects] = selectStep(env, warned, next.index, next.step);
  return [selected, [{ kind: 'foresee_shortage', ...risk }, ...effects]];
}

/** Records the warning. The run stops only for a certain shortage. */
export const onShortageForeseen: Reacts<'shortage_foreseen'> = (_env, state, event) => {
  if (state.work.foreseen !== event.dimension) throw impossibleEvent('a warning nobody gave', state);
  return [state, NO_EFFECTS];
};

function finishPlan(env: KernelEnv, state: RunState): Reaction {
  if (isAtNode(env, state, 'completion_check'))
    return askFinalQuestion(env, state, requestRunJudgement) ?? requestRunJudgement(env, state);
  const reply = directReply(state);
  if (refusesAction(state)) return [raise(state, { code: 'IMPOSSIBLE', reason: 'no_tool_for_request' }), NO_EFFECTS];
  // The criteria of the goal do not apply to a reply, so no judge is asked about them.
  if (reply !== null && canWalk(env, state, 'completion_check'))
    return [walk(env, state, 'completion_check'), [{ kind: 'judge_run' }]];
  const bindsOutput = state.planning.active?.plan.output !== undefined;
  const isDirect =
    bindsOutput || (isReactive(env) ? routeOf(env, state).to === 'direct_chat' : directAnswer(state) !== null);
  if (isDirect && canWalk(env, state, 'completion_check')) {
    return requestRunJudgement(env, walk(env, state, 'completion_check'));
  }
  const message = 'every step of the new plan has been done already and the goal is not met';
  if (openConflict(state) !== null)
    return escalateRun(env, state, 'repeated_failure', {
      code: 'REPEATED_FAILURE',
      reason: 'loop_detected',
      detail: { message },
    });
  const reason = { code: 'loop_detected', step_id: null, message, detail: {} };
  return replan(env, markUnfit(state), { reason, trigger: 'repeated_failure', code: 'REPEATED_FAILURE' });
}

const NO_PARAMS: JsonObject = Object.freeze({});

/** Resolves the bindings of a step and sends its call to the gateway. */
function selectStep(env: KernelEnv, state: RunState, index: number, step: PlanStep): Reaction {
  const params = step.params ?? NO_PARAMS;
  const resolved = resolveBindings(params, (id) => committedFact(state, id)?.value);
  if (!resolved.ok) {
    const { code, message, path } = resolved.problem;
    return replanUnfitStep(env, state, step.id, { code, message, detail: { path } });
  }
  const edited = editedArgs(state, step.id);
  const written = env.limits.drafterCost === null ? resolved.args : draftedArgs(state, step, resolved.args);
  if (written === null && edited === null) return requestDrafts(env, state, step, resolved.args);
  const delivered = resolveStepInputs(env, state, index, step);
  if (!delivered.ok) {
    const { key, message } = delivered;
    return replanUnfitStep(env, state, step.id, { code: 'invalid_context_key', message, detail: { key } });
  }
  const args = completeArguments(env, state, step.tool, edited ?? written ?? resolved.args);
  const call = { args, argsHash: hashCall(env.hash, args, delivered.call.inputs), ...delivered.call };
  const origin = callOrigin(env, state, step, call, written !== params);
  const attempt = (vecGet(state.work.progress, index)?.attempts ?? 0) + 1;
  const repeated = state.current?.index === index ? state.current : null;
  const current: CurrentStep = {
    index,
    stepId: step.id,
    tool: step.tool,
    rung: 'intended',
    ...call,
    origin,
    mode: 'destructive',
    attempt,
    call: null,
    observed: null,
    reserved: repeated?.reserved ?? null,
    notBefore: repeated?.notBefore ?? 0,
  };
  return [walk(env, { ...state, current }, ...pathToEligibility(env, state)), [clearStep(current)]];
}
