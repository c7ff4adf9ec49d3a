import type { EventOf } from '../../../model/events/event.ts';
import type { ToolCall } from '../../../model/tool/tool.ts';
import { isRollingBack } from '../../state/lifecycle.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { inFlightUntil, repeatAllowedFrom } from './doubt.ts';

/** The call of the current step. It is the same when recorded, sent, and sent again after a crash. */
export function toolCall(current: CurrentStep, callId: string, key: string): ToolCall {
  return {
    call_id: callId,
    step_id: current.stepId,
    tool: current.tool,
    args: current.args,
    args_hash: current.argsHash,
    idempotency_key: key,
    attempt: current.attempt,
  };
}

/** The cap on tool calls, for components that count calls as well. Undefined during a rollback, which no cap limits. */
export function callCap(state: RunState): number | undefined {
  return state.budget === null || isRollingBack(state) ? undefined : state.budget.caps.tool_calls_max;
}

/**
 * The earliest instant at which a cleared call may be sent. Calls that a person allowed to be repeated wait until the
 * first can no longer be in flight.
 */
export const earliestDispatch = (
  state: RunState,
  current: CurrentStep,
  { not_before = 0 }: Pick<EventOf<'step_cleared'>, 'not_before'>,
): number => Math.max(current.notBefore, not_before, inFlightUntil(state, current), repeatAllowedFrom(state, current));
