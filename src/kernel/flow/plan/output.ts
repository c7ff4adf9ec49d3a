import type { PlanReason } from '../../../model/events/effect.ts';
import type { Problem } from '../../../model/json/problem.ts';
import type { KernelEnv } from '../../env.ts';
import { isReactive } from '../../query/plan/reactive-route.ts';
import type { OutputState } from '../../state/answer-state.ts';
import type { RunState } from '../../state/run-state.ts';
import { NO_EFFECTS, type Reaction, raise } from '../../transition/reaction.ts';
import { canWalk } from '../../transition/walk.ts';
import { askNext, replan, takeReplan } from './replan.ts';

/** How often the planner may repair an output. */
const REPAIRS_MAX = 1;

/** Asks a reactive planner for the missing output of a finished run, once. Refuses any other output with problems. */
export function requestOutput(env: KernelEnv, state: RunState, problems: readonly Problem[]): Reaction {
  const isMissing = state.planning.active?.plan.output === undefined;
  const owed: RunState = withOutput(state, { owed: true });
  const canAsk = isMissing && isReactive(env) && canWalk(env, state, 'plan') && state.ending.output?.owed !== true;
  return canAsk ? askNext(env, owed, reasonFor(problems)) : refuseOutput(env, owed, problems);
}

/** Refuses an output. The planner may repair it once, with the reasons; after that the run ends. */
export function refuseOutput(env: KernelEnv, state: RunState, problems: readonly Problem[]): Reaction {
  const refusals = (state.ending.output?.refusals ?? 0) + 1;
  const counted = withOutput(state, { refusals });
  const reason = reasonFor(problems);
  if (refusals <= REPAIRS_MAX && takeReplan(counted) !== null)
    return replan(env, counted, { reason, trigger: 'validation_failed', code: 'VALIDATION_FAIL' });
  const stop = { code: 'VALIDATION_FAIL', reason: 'output_unsupported', detail: reason.detail } as const;
  return [raise(counted, stop), NO_EFFECTS];
}

/** Changes the output state of a run. */
export function withOutput(state: RunState, change: Partial<OutputState>): RunState {
  const output = { refusals: 0, bound: null, ...state.ending.output, ...change };
  return { ...state, ending: { ...state.ending, output } };
}

function reasonFor(problems: readonly Problem[]): PlanReason {
  const message = problems.map((problem) => problem.message).join('; ');
  const detail = { problems: problems.map((problem) => ({ ...problem })) };
  return { code: problems[0]?.code ?? 'output_invalid', step_id: null, message, detail };
}
