import type { PlanStep } from '../../model/plan/plan.ts';
import type { ReactMessage } from '../../model/plan/react-message.ts';
import { type Vec, vecEmpty, vecPush } from './vec.ts';

/** The state of a reactive run, for one invocation. In a plan-first run it stays the initial object. */
export interface ReactState {
  /** `react_messages`: decisions and their observations, in order. */
  readonly messages: Vec<ReactMessage>;
  /** `react_step_count`: executed steps, successful or not. */
  readonly stepCount: number;
  /** The last failure, until the next decision. */
  readonly error: ReactError | null;
}

/** A failed step. It is retriable only if the same call may be made again; the planner decides about all others. */
export interface ReactError {
  readonly retriable: boolean;
  readonly capability: string;
  readonly code: string;
}

export const NO_REACT: ReactState = Object.freeze({ messages: vecEmpty, stepCount: 0, error: null });

/** Appends a decision and clears the error, which the decision has taken into account. */
export function withDecision({ messages, stepCount }: ReactState, step: PlanStep, draft?: string): ReactState {
  const message: ReactMessage = { kind: 'decision', step, ...(draft === undefined ? {} : { draft }) };
  return { messages: vecPush<ReactMessage>(messages, message), stepCount, error: null };
}

/** Appends the observation of a finished step, successful or not. */
export function withObservation(
  { messages, stepCount }: ReactState,
  seen: Omit<Extract<ReactMessage, { readonly kind: 'observation' }>, 'kind'>,
  error: ReactError | null,
): ReactState {
  const message: ReactMessage = { kind: 'observation', ...seen };
  return { messages: vecPush<ReactMessage>(messages, message), stepCount: stepCount + 1, error };
}
