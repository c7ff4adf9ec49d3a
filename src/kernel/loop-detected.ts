import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import type { LoopTrip } from './loop-guard.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';

/** The loop guard never trips silently: the reason is always `loop_detected`, with what repeated. */
export function loopDetected(env: KernelEnv, state: RunState, trip: LoopTrip): Reaction {
  return escalateRun(env, state, 'repeated_failure', {
    code: 'REPEATED_FAILURE',
    reason: 'loop_detected',
    detail: { kind: trip.kind, ...trip.detail },
  });
}
