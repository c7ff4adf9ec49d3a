import type { Stop } from '../../../model/fault/stop.ts';
import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';
import { directAnswer } from './reasoning.ts';
import { nextStep } from './steps.ts';

/** The next node of a reactive run. */
export type ReactiveRoute =
  | { readonly to: 'direct_chat' | 'task_extraction' | 'classifier' | 'reactive_orchestrator' }
  | { readonly to: 'capability'; readonly capability: string }
  | { readonly to: 'error'; readonly reason: 'max_iterations_exceeded' };

/** The inputs of a route. */
export interface ReactiveSituation {
  /** The task needs no tool, so the model answers directly. */
  readonly directChat: boolean;
  readonly error: { readonly retriable: boolean; readonly capability: string } | null;
  readonly stepCount: number;
  readonly stepsMax: number;
  /** The goal has a statement. */
  readonly hasTask: boolean;
  /** The run has an intent and a token. */
  readonly hasCapabilities: boolean;
  /** The capability of the next step that was decided but not run. */
  readonly pending: string | null;
}

/**
 * Picks the route in order of priority: direct answer, error, step limit, missing stages, pending step, orchestrator.
 * Errors come before the limit, so that a run never ends on an unhandled failure.
 */
export function reactiveRoute(situation: ReactiveSituation): ReactiveRoute {
  const { directChat, error, stepCount, stepsMax, hasTask, hasCapabilities, pending } = situation;
  if (directChat) return DIRECT_CHAT;
  if (error !== null) return error.retriable ? { to: 'capability', capability: error.capability } : ORCHESTRATOR;
  if (stepCount > stepsMax) return TOO_MANY_STEPS;
  if (!hasTask) return TASK_EXTRACTION;
  if (!hasCapabilities) return CLASSIFIER;
  return pending === null ? ORCHESTRATOR : { to: 'capability', capability: pending };
}

const DIRECT_CHAT: ReactiveRoute = Object.freeze({ to: 'direct_chat' });
const TASK_EXTRACTION: ReactiveRoute = Object.freeze({ to: 'task_extraction' });
const CLASSIFIER: ReactiveRoute = Object.freeze({ to: 'classifier' });
const ORCHESTRATOR: ReactiveRoute = Object.freeze({ to: 'reactive_orchestrator' });
const TOO_MANY_STEPS: ReactiveRoute = Object.freeze({ to: 'error', reason: 'max_iterations_exceeded' });

/** Whether this run plans one step at a time. */
export const isReactive = ({ limits }: KernelEnv): boolean => limits.planning === 'stepwise';

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

/** The stop of a run that reached its step limit. */
export function tooManySteps({ limits }: KernelEnv, { react }: RunState): Stop {
  const detail = { dimension: 'react_steps', used: react.stepCount, limit: limits.reactStepsMax };
  return { code: 'BUDGET_EXHAUSTED', reason: 'max_iterations_exceeded', detail };
}
