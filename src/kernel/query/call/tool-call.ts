import type { EffectOf } from '../../../model/events/effect.ts';
import type { EventOf } from '../../../model/events/event.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import { inputEvidence } from '../../../model/tool/step-input.ts';
import type { ToolCall } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import { isRollingBack } from '../../state/lifecycle.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { innerTools } from '../plan/tools.ts';
import { inFlightUntil, repeatAllowedFrom } from './doubt.ts';

/** The call of the current step. It is the same when recorded, sent, and sent again after a crash. */
export function toolCall(current: CurrentStep, callId: string, key: string): ToolCall {
  const call: ToolCall = {
    call_id: callId,
    step_id: current.stepId,
    tool: current.tool,
    args: current.args,
    args_hash: current.argsHash,
    idempotency_key: key,
    attempt: current.attempt,
  };
  return current.inputs === undefined ? call : { ...call, inputs: inputEvidence(current.inputs) };
}

/** Asks the gateway to clear the current call. */
export function clearStep(current: CurrentStep): EffectOf<'clear_step'> {
  const { stepId: step_id, tool, args, argsHash: args_hash, attempt, origin, inputs, cached } = current;
  const effect: EffectOf<'clear_step'> = { kind: 'clear_step', step_id, tool, args, args_hash, attempt, origin };
  if (inputs === undefined && cached === undefined) return effect;
  return {
    ...effect,
    ...(inputs === undefined ? {} : { inputs: inputEvidence(inputs) }),
    ...(cached === undefined ? {} : { cached }),
  };
}

/** Whether a clearance is of exactly the current call: its arguments and its inputs. */
export function isClearanceOf({ args, argsHash, inputs }: CurrentStep, event: EventOf<'step_cleared'>): boolean {
  if (event.args_hash !== argsHash) return false;
  if (event.args !== args && canonicalize(event.args) !== canonicalize(args)) return false;
  if (inputs === undefined || event.inputs === undefined) return inputs === event.inputs;
  return canonicalize(event.inputs) === canonicalize(inputEvidence(inputs));
}

type SentParts = Pick<EffectOf<'call_tool'>, 'kind' | 'call' | 'inputs' | 'mode' | 'behind' | 'cached'>;

/** The parts of a dispatch that are the same when the call is sent again. */
export function sendCall(env: KernelEnv, current: CurrentStep, callId: string, key: string): SentParts {
  const { inputs, cached, mode } = current;
  const call = toolCall(current, callId, key);
  const sent: SentParts = { kind: 'call_tool', call, mode, behind: innerTools(env, current) };
  if (inputs === undefined && cached === undefined) return sent;
  return { ...sent, ...(inputs === undefined ? {} : { inputs }), ...(cached === undefined ? {} : { cached }) };
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
