import type { PlanReason } from '../../model/effect.ts';
import { isUntrusted } from '../../model/origin.ts';
import type { StepVerdict } from '../../model/verdict.ts';
import { dropCurrent } from '../drop-current.ts';
import type { KernelEnv } from '../env.ts';
import type { Reaction } from '../reaction.ts';
import { specOfCall } from '../real-tools.ts';
import type { CurrentStep, RunState } from '../state.ts';
import { canWalk, walk } from '../walk.ts';
import { askNext } from './ask-next.ts';
import { withObservation } from './react-state.ts';
import { isReactive, routeOf } from './route-of.ts';

/** What is done about a failure: the verdict on it, and in this mode the route that an error of its class takes. */
export function afterFailure(
  env: KernelEnv,
  state: RunState,
  { tool }: CurrentStep,
  verdict: StepVerdict,
): StepVerdict {
  if (verdict === 'escalate' || !isReactive(env)) return verdict;
  const error = { retriable: verdict === 'retry', capability: tool, code: '' };
  return routeOf(env, { ...state, react: { ...state.react, error } }).to === 'capability' ? 'retry' : 'replan';
}

/** The failure as whoever decides next will see it: one more step of the run that came to its end. */
export function withFailure(env: KernelEnv, state: RunState, current: CurrentStep, reason: PlanReason): RunState {
  if (!isReactive(env)) return state;
  const { stepId: step_id, tool, observed } = current;
  const outcome = observed?.outcome ?? 'error';
  const trusted = specOfCall(env, current).trusted && !isUntrusted(current.origin);
  const seen = { step_id, tool, outcome, value: null, detail: reason.message, trusted };
  const error = { retriable: false, capability: tool, code: reason.code };
  return { ...state, react: withObservation(state.react, seen, error) };
}

/**
 * Back to whoever decides, with the error: to try it in another way, to leave it, or to answer with what there is. Each
 * step is decided anyway, so this is no re-plan; null where the graph has no way back or too many failed in a row.
 */
export function recover(env: KernelEnv, failed: RunState, reason: PlanReason): Reaction | null {
  if (!isReactive(env) || !canWalk(env, failed, 'repair')) return null;
  const repairing = walk(env, failed, 'repair');
  return canWalk(env, repairing, 'plan') ? askNext(env, dropCurrent(repairing), reason) : null;
}
