import type { ToolCall } from '../model/tool.ts';
import type { CurrentStep } from './state.ts';

/** The call of the current step as it is written down, sent and, after a crash, sent again: always the same one. */
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
