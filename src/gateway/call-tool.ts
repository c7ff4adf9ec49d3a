import type { Blob } from '../model/blob.ts';
import type { EventBody } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import type { Hash } from '../model/hash.ts';
import { reasonOf } from '../model/printable.ts';
import { takeJson } from '../model/take-json.ts';
import { NO_COST, type ToolCall, type ToolLimits, type ToolOutcome, type ToolResult } from '../model/tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { Infrastructure } from '../ports/infrastructure.ts';
import type { Timer } from '../ports/timer.ts';
import type { Caller, CallLimits, Tools } from '../ports/tools.ts';
import { permitted } from './layers/infrastructure.ts';
import type { Breakers } from './limits/breakers.ts';
import type { Leave, Slots } from './limits/slots.ts';
import { keepPayload } from './payload.ts';

export interface Dispatch {
  readonly call: ToolCall;
  readonly limits: ToolLimits | undefined;
  readonly run: Caller;
  readonly timeoutMs: number;
  readonly notBefore: number;
  readonly dispatchBefore: number;
  /** It may change something: what is settled under its key is answered from the ledger. */
  readonly once?: boolean;
}

export interface Street {
  readonly tools: Tools;
  readonly infrastructure: Infrastructure;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly hash: Hash;
  readonly breakers: Breakers;
  readonly slots: Slots;
}

/** What became of a call, and what has to be kept with it. */
export interface Answer {
  readonly event: EventBody;
  readonly blobs: readonly Blob[];
}

/** Where an answer goes that came after its time was up: on record, and nowhere else. */
export type HearLate = (event: EventBody) => void;

/**
 * Sends one call out and brings back whatever became of it. It always answers: with the result, with the failure, or,
 * when its time is up or it is called back, with that.
 */
export async function callTool(
  street: Street,
  dispatch: Dispatch,
  recall: AbortSignal,
  hearLate: HearLate,
): Promise<Answer> {
  const { call, limits } = dispatch;
  if (dispatch.notBefore > street.clock.nowMs()) await street.timer.until(dispatch.notBefore, recall);
  const leave = await enter(street, dispatch, recall);
  try {
    if (recall.aborted) return observed(call, 'cancelled', 'called back before it was sent');
    if (leave === null || street.clock.nowMs() > dispatch.dispatchBefore) {
      return observed(call, 'error', 'not sent: the time in which it could be dispatched had passed');
    }
    const ruling = permitted(street.infrastructure, { ...dispatch.run, tool: call.tool, args: call.args });
    if (!ruling.ok) return observed(call, 'denied', `not sent: ${ruling.reason}`);
    const said = await send(street, dispatch, recall, hearLate);
    noteOutcome(street, dispatch, said);
    return withinBounds(said, call, limits, street.hash);
  } finally {
    leave?.();
  }
}

/** Waits for a free place among the calls of this tool, but not beyond the time in which it may be sent. */
async function enter(street: Street, dispatch: Dispatch, recall: AbortSignal): Promise<Leave | null> {
  const most = dispatch.limits?.concurrency;
  if (most === undefined) return NOTHING_TO_LEAVE;
  const tooLate = new AbortController();
  const name = `${dispatch.run.tenantId}\n${dispatch.call.tool}`;
  const place = street.slots.enter(name, most, AbortSignal.any([recall, tooLate.signal]));
  const over = new AbortController();
  void street.timer.until(dispatch.dispatchBefore, over.signal).then(() => tooLate.abort());
  try {
    return await place;
  } finally {
    over.abort();
  }
}

const NOTHING_TO_LEAVE: Leave = () => undefined;

async function send(street: Street, dispatch: Dispatch, recall: AbortSignal, hearLate: HearLate): Promise<Observed> {
  const { call, timeoutMs } = dispatch;
  const stop = new AbortController();
  const onRecall = (): void => stop.abort();
  recall.addEventListener('abort', onRecall, { once: true });
  try {
    const timeout = street.timer.until(street.clock.nowMs() + timeoutMs, stop.signal).then(() => null);
    const limits = { signal: stop.signal, timeoutMs, caller: dispatch.run };
    const answering = attempt(street.tools, call, limits);
    const answer = await Promise.race([answering, timeout]);
    if (answer !== null) return answer;
    void answering.then((late) => {
      if (isAnswer(late)) hearLate(lateAnswer(late));
    });
    const outcome = recall.aborted ? 'cancelled' : 'timeout';
    const detail = outcome === 'timeout' ? `no answer within ${timeoutMs} ms` : 'called back';
    return observation(call, outcome, detail);
  } finally {
    stop.abort();
    recall.removeEventListener('abort', onRecall);
  }
}

/** A tool that was told to stop and says that it did has not answered; anything else that it says is kept. */
const isAnswer = ({ outcome }: Observed): boolean => outcome !== 'error' && outcome !== 'cancelled';

function lateAnswer({ call_id, outcome, raw, detail, spent }: Observed): EventBody {
  return { type: 'answer_came_late', call_id, outcome, raw, detail: detail ?? '', spent };
}

/** A refusal by the tool's own rules says nothing about whether it works. */
function noteOutcome({ breakers, clock }: Street, { call, run }: Dispatch, { outcome }: Observed): void {
  if (outcome === 'denied' || outcome === 'expired' || outcome === 'cancelled') return;
  breakers.note(call.tool, run.tenantId, outcome === 'ok' || outcome === 'empty', clock.nowMs());
}

function withinBounds(said: Observed, call: ToolCall, limits: ToolLimits | undefined, hash: Hash): Answer {
  const kept = keepPayload(said.raw, limits, hash);
  if (kept.kind === 'inline') return { event: said, blobs: [] };
  if (kept.kind === 'blob') return { event: { ...said, raw: kept.raw }, blobs: [kept.blob] };
  const fix = 'declare limits.payloadMaxBytes to keep large answers beside the journal';
  return observed(call, 'malformed', `an answer of ${kept.bytes} bytes is over the limit of ${kept.most}: ${fix}`);
}

async function attempt(tools: Tools, call: ToolCall, limits: CallLimits): Promise<Observed> {
  try {
    return toEvent(call, await tools.call(call, limits));
  } catch (error) {
    return observation(call, outcomeOf(error), reasonOf(error));
  }
}

function outcomeOf(error: unknown): ToolOutcome {
  if (!Fault.is(error)) return 'error';
  if (error.code === 'permission_denied') return 'denied';
  return error.code === 'credential_expired' ? 'expired' : 'error';
}

/** What comes back from outside is looked at before it is believed to be JSON, or an answer, at all. */
function toEvent(call: ToolCall, result: ToolResult): Observed {
  try {
    if (typeof result !== 'object' || result === null) return observation(call, 'malformed', 'that is no result');
    const { outcome, spent, detail } = result;
    const raw = takeJson(result.raw);
    const said = detail === undefined ? {} : { detail: reasonOf(detail) };
    const body = parseEventBody({ type: 'step_observed', call_id: call.call_id, outcome, raw: null, spent, ...said });
    return { ...body, raw } as Observed;
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return observation(call, 'malformed', reasonOf(error));
  }
}

type Observed = Extract<EventBody, { type: 'step_observed' }>;

function observation(call: ToolCall, outcome: ToolOutcome, detail: string): Observed {
  return { type: 'step_observed', call_id: call.call_id, outcome, raw: null, detail, spent: NO_COST };
}

const observed = (call: ToolCall, outcome: ToolOutcome, detail: string): Answer => ({
  event: observation(call, outcome, detail),
  blobs: [],
});
