import type { NodeRole } from '../model/graph.ts';
import { address } from '../model/hash.ts';
import type { JsonObject } from '../model/json.ts';
import type { PlanStep } from '../model/plan.ts';
import { askAtEnd } from './ask-at-end.ts';
import { remaining } from './budget-view.ts';
import { callOrigin } from './call-origin.ts';
import { elapsedMs } from './checkpointing.ts';
import { raise } from './closing.ts';
import { committedFact } from './committed-fact.ts';
import { askDrafter } from './draft/ask-drafter.ts';
import { draftedArgs } from './draft/drafted-args.ts';
import { editedArgs } from './edited-args.ts';
import type { KernelEnv } from './env.ts';
import { overBudget } from './escalate-run.ts';
import { atRisk, earlyStop } from './estimate.ts';
import { heedModel } from './heed-model.ts';
import { judgeRun, unjudgeable } from './judges/ask-judges.ts';
import { waitsForLanes } from './lanes/on-lane.ts';
import { takeReturned } from './lanes/take-returned.ts';
import { nextStep } from './next-step.ts';
import { estimateBefore } from './planned-estimate.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { isReactive, routeOf, tooManySteps } from './reactive/route-of.ts';
import { replan } from './replan.ts';
import { directAnswer } from './required-reasoning.ts';
import type { RunState } from './state.ts';
import { isHeld } from './suspend.ts';
import { unfit, unfitStep } from './unfit-plan.ts';
import { vecGet } from './vec.ts';
import { resolveBindings } from './verify/resolve-bindings.ts';
import { canWalk, standsOn, walk } from './walk.ts';

/** Goes on with the plan in force: the next step to the gateway, or, when all are settled, the run before the Critic. */
export function advance(env: KernelEnv, state: RunState): Reaction {
  if (isHeld(state.session.status)) return [state, NOTHING];
  if (state.lanes !== undefined) return waitsForLanes(state) ?? takeReturned(env, state);
  const heeded = heedModel(env, state);
  if (heeded !== null) return heeded;
  const next = nextStep(state);
  if (next === null) return planDone(env, state);
  if (isReactive(env) && routeOf(env, state).to === 'error') return [raise(state, tooManySteps(env, state)), NOTHING];
  if (state.budget === null) throw impossible('work before the run has a budget', state);
  // A step under way has its share reserved already; counting it again would stop a run that can finish.
  if (state.current?.index === next.index) return select(env, state, next.index, next.step);
  const left = remaining(state.budget, elapsedMs(state));
  const short = earlyStop(left, state.work.estimate) ?? unjudgeable(env, state, next.step);
  if (short !== null) return overBudget(env, state, short, 'early_stop');
  const risk = atRisk(left, estimateBefore(env, state, next.step));
  if (risk === null || risk.dimension === state.work.foreseen) return select(env, state, next.index, next.step);
  const warned = { ...state, work: { ...state.work, foreseen: risk.dimension } };
  const [selected, effects] = select(env, warned, next.index, next.step);
  return [selected, [{ kind: 'foresee_shortage', ...risk }, ...effects]];
}

/** Somebody may want to act on it; the run itself only stops for what is certain. */
export const onShortageForeseen: Reacts<'shortage_foreseen'> = (_env, state, event) => {
  if (state.work.foreseen !== event.dimension) throw impossible('a warning nobody gave', state);
  return [state, NOTHING];
};

function planDone(env: KernelEnv, state: RunState): Reaction {
  if (standsOn(env, state, 'completion_check')) return askAtEnd(env, state, judgeRun) ?? judgeRun(env, state);
  const direct = isReactive(env) ? routeOf(env, state).to === 'direct_chat' : directAnswer(state) !== null;
  if (direct && canWalk(env, state, 'completion_check')) {
    return judgeRun(env, walk(env, state, 'completion_check'));
  }
  const message = 'every step of the new plan has been done already and the goal is not met';
  const reason = { code: 'loop_detected', step_id: null, message, detail: {} };
  return replan(env, unfit(state), { reason, trigger: 'repeated_failure', code: 'REPEATED_FAILURE' });
}

const NO_PARAMS: JsonObject = Object.freeze({});

/** Resolves what the step is bound to and puts the exact call before the gateway. */
function select(env: KernelEnv, state: RunState, index: number, step: PlanStep): Reaction {
  const params = step.params ?? NO_PARAMS;
  const resolved = resolveBindings(params, (id) => committedFact(state, id)?.value);
  if (!resolved.ok) {
    const { code, message, path } = resolved.problem;
    return unfitStep(env, state, step.id, { code, message, detail: { path } });
  }
  const edited = editedArgs(state, step.id);
  const written = env.limits.drafterCost === null ? resolved.args : draftedArgs(state, step, resolved.args);
  if (written === null && edited === null) return askDrafter(env, state, step, resolved.args);
  const args = env.tools.complete(step.tool, edited ?? written ?? resolved.args);
  const argsHash = address(env.hash, args);
  const origin = callOrigin(env, state, step, args, written !== params);
  const attempt = (vecGet(state.work.progress, index)?.attempts ?? 0) + 1;
  const repeated = state.current?.index === index ? state.current : null;
  const selected: RunState = {
    ...state,
    current: {
      index,
      stepId: step.id,
      tool: step.tool,
      rung: 'intended',
      args,
      argsHash,
      origin,
      mode: 'destructive',
      attempt,
      call: null,
      observed: null,
      reserved: repeated?.reserved ?? null,
      notBefore: repeated?.notBefore ?? 0,
    },
  };
  const walked = walk(env, selected, ...pathToEligibility(env, state));
  const { id: step_id, tool } = step;
  return [walked, [{ kind: 'clear_step', step_id, tool, args, args_hash: argsHash, attempt, origin }]];
}

const TO_ELIGIBILITY: readonly NodeRole[] = ['action_selection', 'tool_eligibility'];
const FROM_PLAN: readonly NodeRole[] = ['plan', 'plan_validation', ...TO_ELIGIBILITY];

function pathToEligibility(env: KernelEnv, state: RunState): readonly NodeRole[] {
  const planned = standsOn(env, state, 'plan_validation') || standsOn(env, state, 'human_approval');
  return planned ? TO_ELIGIBILITY : FROM_PLAN;
}
