import type { Stop } from '../../model/stop.ts';
import type { KernelEnv } from '../env.ts';
import { nextStep } from '../next-step.ts';
import { directAnswer } from '../required-reasoning.ts';
import type { RunState } from '../state.ts';
import { type ReactiveRoute, reactiveRoute } from './route.ts';

/** Whether this run decides one step at a time and is led by the routes of that mode. */
export const isReactive = ({ limits }: KernelEnv): boolean => limits.planning === 'stepwise';

/** Where this run goes next, by what it is at this moment. */
export function routeOf(env: KernelEnv, state: RunState): ReactiveRoute {
  const { intake, react } = state;
  return reactiveRoute({
    directChat: directAnswer(state) !== null,
    error: react.error,
    stepCount: react.stepCount,
    stepsMax: env.limits.reactStepsMax,
    hasTask: intake.goal !== null && intake.goal.statement.trim() !== '',
    hasCapabilities: intake.intent !== null && intake.token !== null,
    pending: nextStep(state)?.step.tool ?? null,
  });
}

/** How a run ends that was led round more often than it may be. No budget was overdrawn; this is one more of them. */
export function tooManySteps({ limits }: KernelEnv, { react }: RunState): Stop {
  const detail = { dimension: 'react_steps', used: react.stepCount, limit: limits.reactStepsMax };
  return { code: 'BUDGET_EXHAUSTED', reason: 'max_iterations_exceeded', detail };
}
