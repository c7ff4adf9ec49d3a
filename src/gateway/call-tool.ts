import type { EventBody } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import { reasonOf } from '../model/printable.ts';
import { takeJson } from '../model/take-json.ts';
import { NO_COST, type ToolCall, type ToolOutcome, type ToolResult } from '../model/tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { Timer } from '../ports/timer.ts';
import type { Tools } from '../ports/tools.ts';

export interface Dispatch {
  readonly call: ToolCall;
  readonly timeoutMs: number;
  readonly notBefore: number;
  readonly dispatchBefore: number;
}

export interface Street {
  readonly tools: Tools;
  readonly clock: Clock;
  readonly timer: Timer;
}

/**
 * Sends one call out and brings back whatever became of it. It always answers: with the result, with the failure, or,
 * when its time is up or it is called back, with that. What a tool says after its time is up is not listened to.
 */
export async function callTool(street: Street, dispatch: Dispatch, recall: AbortSignal): Promise<EventBody> {
  const { call, timeoutMs } = dispatch;
  if (dispatch.notBefore > street.clock.nowMs()) await street.timer.until(dispatch.notBefore, recall);
  if (recall.aborted) return observed(call, 'cancelled', 'called back before it was sent');
  if (street.clock.nowMs() > dispatch.dispatchBefore) {
    return observed(call, 'error', 'not sent: the time in which it could be dispatched had passed');
  }
  const stop = new AbortController();
  const onRecall = (): void => stop.abort();
  recall.addEventListener('abort', onRecall, { once: true });
  try {
    const timeout = street.timer.until(street.clock.nowMs() + timeoutMs, stop.signal).then(() => null);
    const answer = await Promise.race([attempt(street.tools, call, timeoutMs, stop.signal), timeout]);
    if (answer !== null) return answer;
    const outcome = recall.aborted ? 'cancelled' : 'timeout';
    return observed(call, outcome, outcome === 'timeout' ? `no answer within ${timeoutMs} ms` : 'called back');
  } finally {
    stop.abort();
    recall.removeEventListener('abort', onRecall);
  }
}

async function attempt(tools: Tools, call: ToolCall, timeoutMs: number, signal: AbortSignal): Promise<EventBody> {
  try {
    return toEvent(call, await tools.call(call, { signal, timeoutMs }));
  } catch (error) {
    const denied = Fault.is(error) && error.code === 'permission_denied';
    return observed(call, denied ? 'denied' : 'error', reasonOf(error));
  }
}

/** What comes back from outside is looked at before it is believed to be JSON, or an answer, at all. */
function toEvent(call: ToolCall, result: ToolResult): EventBody {
  try {
    if (typeof result !== 'object' || result === null) return observed(call, 'malformed', 'that is no result');
    const { outcome, spent, detail } = result;
    const raw = takeJson(result.raw);
    const said = detail === undefined ? {} : { detail: reasonOf(detail) };
    const body = parseEventBody({ type: 'step_observed', call_id: call.call_id, outcome, raw: null, spent, ...said });
    return { ...body, raw } as EventBody;
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return observed(call, 'malformed', reasonOf(error));
  }
}

function observed(call: ToolCall, outcome: ToolOutcome, detail: string): EventBody {
  return { type: 'step_observed', call_id: call.call_id, outcome, raw: null, detail, spent: NO_COST };
}
