import type { PlanStep } from '../../model/plan.ts';
import type { ReactMessage } from '../../model/react-message.ts';
import { type Vec, vecEmpty, vecPush } from '../vec.ts';

/**
 * What only a run knows that decides one step at a time. It lives as long as one invocation; a run that plans the whole
 * work leaves it as it was at the start, the very same object.
 */
export interface ReactState {
  /** `react_messages`: decisions and what was observed of them, in order. */
  readonly messages: Vec<ReactMessage>;
  /** `react_step_count`: steps that were carried out, whatever came of them. */
  readonly stepCount: number;
  /** What went wrong and has not been decided about yet. */
  readonly error: ReactError | null;
}

/** A failed step. Only where the same call may be made again is it retriable; all else is for whoever decides. */
export interface ReactError {
  readonly retriable: boolean;
  readonly capability: string;
  readonly code: string;
}

export const NO_REACT: ReactState = Object.freeze({ messages: vecEmpty, stepCount: 0, error: null });

/** A new decision: whatever went wrong before it has been seen and decided about. */
export function withDecision({ messages, stepCount }: ReactState, step: PlanStep): ReactState {
  return { messages: vecPush<ReactMessage>(messages, { kind: 'decision', step }), stepCount, error: null };
}

/** A step has come to its end, good or bad. */
export function withObservation(
  { messages, stepCount }: ReactState,
  seen: Omit<Extract<ReactMessage, { readonly kind: 'observation' }>, 'kind'>,
  error: ReactError | null,
): ReactState {
  const message: ReactMessage = { kind: 'observation', ...seen };
  return { messages: vecPush<ReactMessage>(messages, message), stepCount: stepCount + 1, error };
}
