import type { EventBody } from '../../model/events/event.ts';
import { parseEventBody } from '../../model/events/event-schema.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Blob } from '../../model/json/blob.ts';
import { ANSWER_LIMITS, type Json } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { takeJson } from '../../model/json/take-json.ts';
import { NO_COST, TOOL_OUTCOMES, type ToolCall, type ToolOutcome, type ToolResult } from '../../model/tool/tool.ts';

export type ObservedEvent = Extract<EventBody, { type: 'step_observed' }>;

/** The event that records the outcome of a call, with the blobs to store with it. */
export interface ToolAnswer {
  readonly event: EventBody;
  readonly blobs: readonly Blob[];
  /** The complete answer, if the event holds only its blob address. */
  readonly full?: Json;
}

/** A tool's answer, with the blobs of the model calls that it made. */
export interface CallAnswer extends ToolAnswer {
  readonly event: ObservedEvent;
}

/** Turns a tool's result into an event. The result is untrusted, so it is validated as JSON and as an answer first. */
export function toEvent(call: ToolCall, result: ToolResult): ObservedEvent {
  try {
    if (typeof result !== 'object' || result === null) return observation(call, 'malformed', 'that is no result');
    const { outcome, spent, detail } = result;
    const raw = takeJson(result.raw, ANSWER_LIMITS);
    // Fast path: a result without cost and detail needs no schema parse, and this runs in every step.
    if (spent === NO_COST && detail === undefined && isOutcome(outcome))
      return { type: 'step_observed', call_id: call.call_id, outcome, raw, spent };
    const note = detail === undefined ? {} : { detail: reasonOf(detail) };
    const body = parseEventBody({ type: 'step_observed', call_id: call.call_id, outcome, raw: null, spent, ...note });
    return { ...body, raw } as ObservedEvent;
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return observation(call, 'malformed', reasonOf(error));
  }
}

const isOutcome = (value: ToolOutcome): boolean => TOOL_OUTCOMES.includes(value);

export function observation(call: ToolCall, outcome: ToolOutcome, detail: string): ObservedEvent {
  return { type: 'step_observed', call_id: call.call_id, outcome, raw: null, detail, spent: NO_COST };
}

/** The answer for a call that was never handed to its tool. */
export const unsentObservation = (call: ToolCall, outcome: ToolOutcome, detail: string): ObservedEvent => ({
  ...observation(call, outcome, detail),
  unsent: true,
});

export const unsent = (call: ToolCall, outcome: ToolOutcome, detail: string): ToolAnswer => ({
  event: unsentObservation(call, outcome, detail),
  blobs: [],
});

/** The answer to a call beyond the run's cap. The kernel enforces the same cap, so this means that it failed to. */
export const refuseBeyondCap = (call: ToolCall, most: number): ToolAnswer =>
  unsent(call, 'denied', `not sent: the budget of this run is ${most} tool calls, and that many have been sent`);

/** The observation of a call whose tool threw an error. */
export function failedObservation(call: ToolCall, error: unknown): ObservedEvent {
  const failed = observation(call, outcomeOf(error), reasonOf(error));
  if (codeOf(error) === 'nothing_done') return { ...failed, unsent: true, refused: true };
  return isMisconfigured(error) ? { ...failed, misconfigured: true } : failed;
}

/** A rejected API key or an unknown model: only a change of the configuration helps. */
const isMisconfigured = (error: unknown): boolean => codeOf(error) === 'model_misconfigured';

function outcomeOf(error: unknown): ToolOutcome {
  const code = codeOf(error);
  if (code === 'permission_denied') return 'denied';
  return code === 'credential_expired' ? 'expired' : 'error';
}

/** The code of a fault, or null. A foreign error can look like a fault on the first read and throw on the next. */
function codeOf(error: unknown): string | null {
  try {
    return Fault.is(error) ? error.code : null;
  } catch {
    return null;
  }
}
