import { unrecordable } from '../../model/events/unrecordable.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { Json } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';
import type { StoredAnswer } from '../../model/tool/observation.ts';
import type { StepInput } from '../../model/tool/step-input.ts';
import { addCost, type ToolCall, type ToolCost, type ToolLimits, type ToolOutcome } from '../../model/tool/tool.ts';
import type { Caller, CallLimits, Tools } from '../../ports/bound-tool.ts';
import type { Cancellation } from '../../ports/cancellation.ts';
import { type Clock, type Timer, wakeAt } from '../../ports/clock.ts';
import type { Infrastructure } from '../../ports/infrastructure.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { OpenModelClient } from '../../ports/model/language-model.ts';
import { askInfrastructure } from '../layers/infrastructure.ts';
import type { Breakers } from '../limits/breakers.ts';
import type { Rates } from '../limits/rates.ts';
import type { ReleaseSlot, Slots } from '../limits/slots.ts';
import { moveToBlob } from './move-to-blob.ts';
import {
  type CallAnswer,
  failedObservation,
  type ObservedEvent,
  observation,
  type ToolAnswer,
  toEvent,
  unsent,
  unsentObservation,
} from './tool-answer.ts';
import { NotSentError, ToolCallLimits } from './tool-call-limits.ts';

export interface Dispatch {
  readonly call: ToolCall;
  /** The results of earlier steps for the tool's code; absent if the step names none. */
  readonly inputs?: readonly StepInput[] | undefined;
  /** The most that the call may cost; the budget reserves it. A tool that calls models may spend it on them. */
  readonly cost?: ToolCost;
  readonly limits: ToolLimits | undefined;
  /** The tools that a dispatcher passes the call on to, each with its own limits. */
  readonly behind: readonly ConcurrencySlot[];
  readonly run: Caller;
  readonly timeoutMs: number;
  readonly notBefore: number;
  readonly dispatchBefore: number;
  /** The call may have a side effect: if its idempotency key is already settled, the answer comes from the ledger. */
  readonly once?: boolean;
  /** The run's cap on tool calls; absent for compensations. The gateway counts it as well as the run itself. */
  readonly callsMax?: number | undefined;
  /** Answer from the cache of kept answers; the tool is not called. */
  readonly cached?: true | undefined;
  /** How a good answer is cached for later calls; absent if answers of this tool are not cached. */
  readonly keep?: CacheRule | undefined;
  /** Checks a complete answer before it is moved out of the event into a blob. */
  readonly ruleOn?: (raw: Json, aside: Json) => StoredAnswer;
  /** JSON Pointers into the answer that later steps are bound to. Called only when the answer is moved into a blob. */
  readonly bound?: () => readonly string[];
  /** Returns the message of a kill switch that stops this call, or null. Called only if the call had to wait. */
  readonly stoppedBy?: () => Promise<string | null>;
}

/** How long a good answer may replace the tool when it is down, whether it is trusted, and whether it fits. */
export interface CacheRule {
  readonly forMs: number;
  readonly trusted: boolean;
  readonly fits: (raw: Json) => boolean;
}

/** A tool whose concurrency limit a call counts against. */
export interface ConcurrencySlot {
  readonly tool: string;
  readonly limits: ToolLimits | undefined;
}

export interface GatewayDeps {
  readonly tools: Tools;
  readonly infrastructure: Infrastructure;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly hash: Hash;
  readonly breakers: Breakers;
  readonly slots: Slots;
  readonly rates: Rates;
  readonly metrics?: Metrics;
  /** Opens the model client for tools that call models; without it they cannot. */
  readonly openModelClient?: OpenModelClient;
}

/** Receives an answer that came after its timeout. It is recorded and has no other effect. */
export type OnLateAnswer = (late: ToolAnswer) => void;

/** Sends one call and returns its outcome: the result, the failure, the timeout or the cancellation. */
export async function callTool(
  deps: GatewayDeps,
  dispatch: Dispatch,
  recall: Cancellation,
  onLateAnswer: OnLateAnswer,
): Promise<ToolAnswer> {
  const { clock } = deps;
  const now = clock.nowMs();
  const ready = isReady(dispatch, now) ? { ...AT_ONCE, now } : await waitUntilReady(deps, dispatch, recall, now);
  const obstacle = findObstacle(deps, dispatch, recall, ready);
  if (obstacle !== null) {
    ready.leave?.();
    return unsent(dispatch.call, obstacle.outcome, obstacle.why);
  }
  const sentAt = clock.nowMs();
  const sent = send(deps, dispatch, recall, { leave: ready.leave, sentAt });
  let answered: CallAnswer;
  try {
    const answer = await sent.answerInTime;
    if (answer === null) void sent.answering.then((late) => recordLate(deps, dispatch, late, onLateAnswer));
    answered = addMetered(answer ?? abandonedObservation(dispatch, recall), sent.out);
  } finally {
    sent.end();
  }
  return toRecord(answered, () => {
    const answeredAt = clock.nowMs();
    noteOutcome(deps, dispatch, answered.event, answeredAt);
    noteDuration(deps, dispatch, answered.event, answeredAt - sentAt);
    return moveLargeAnswer(answered, dispatch, deps.hash);
  });
}

/**
 * The answer to record. If it cannot be prepared, the failure is recorded in its place: an error without an observation
 * would make every resume send the call again.
 */
function toRecord({ event, blobs }: CallAnswer, prepare: () => CallAnswer): CallAnswer {
  try {
    return prepare();
  } catch (error) {
    return { event: unrecordable(event, reasonOf(error)), blobs };
  }
}

/** The state of a call when its waiting is over. */
interface Ready {
  /** Releases the slots that the call took; null if no slot became free in time. */
  readonly leave: ReleaseSlot | null;
  readonly now: number;
  /** Message of the kill switch that was set while the call waited, or null. */
  readonly stopped: string | null;
}

const NO_SLOT: ReleaseSlot = () => undefined;
const AT_ONCE = Object.freeze({ leave: NO_SLOT, stopped: null });

const isReady = (dispatch: Dispatch, now: number): boolean =>
  dispatch.notBefore <= now && !hasConcurrencyLimit(dispatch);

/** Waits until the call can be sent. A call that had to wait checks the kill switches again. */
async function waitUntilReady(
  deps: GatewayDeps,
  dispatch: Dispatch,
  recall: Cancellation,
  cleared: number,
): Promise<Ready> {
  const { clock, timer } = deps;
  if (dispatch.notBefore > cleared) await timer.until(dispatch.notBefore, recall.signal);
  const leave = hasConcurrencyLimit(dispatch) ? await takeSlots(deps, dispatch, recall) : NO_SLOT;
  const waited = leave !== null && clock.nowMs() > cleared;
  const stopped = (waited ? await dispatch.stoppedBy?.() : null) ?? null;
  return { leave, now: clock.nowMs(), stopped };
}

interface Obstacle {
  readonly outcome: ToolOutcome;
  readonly why: string;
}

const TOO_LATE: Obstacle = Object.freeze({
  outcome: 'error',
  why: 'not sent: the time in which it could be dispatched had passed',
});

function findObstacle(deps: GatewayDeps, dispatch: Dispatch, recall: Cancellation, ready: Ready): Obstacle | null {
  const { call, run } = dispatch;
  if (ready.leave === null) return TOO_LATE;
  if (recall.isCancelled) return { outcome: 'cancelled', why: 'called back before it was sent' };
  if (ready.now > dispatch.dispatchBefore) return TOO_LATE;
  if (ready.stopped !== null) return { outcome: 'denied', why: `not sent: ${ready.stopped}` };
  const ruling = askInfrastructure(deps.infrastructure, { ...run, tool: call.tool, args: call.args });
  if (!ruling.ok) return { outcome: 'denied', why: `not sent: ${ruling.reason}` };
  return enterBreakers(deps, dispatch, ready.now);
}

/**
 * Checks the breakers again: since the call was cleared, one may have opened or let another call take its one trial.
 */
function enterBreakers({ breakers }: GatewayDeps, dispatch: Dispatch, now: number): Obstacle | null {
  const { run } = dispatch;
  const names = occupiedTools(dispatch);
  const broken = names.find((tool) => breakers.refusedUntil(tool, run.tenantId, now) !== null);
  if (broken !== undefined) return { outcome: 'error', why: `not sent: ${broken} has failed too often in a row` };
  for (const tool of names) breakers.enter(tool, run.tenantId, now);
  return null;
}

/** Whether any tool of the call has a concurrency limit. */
const hasConcurrencyLimit = ({ limits, behind }: Dispatch): boolean =>
  limits?.concurrency !== undefined || behind.some((place) => place.limits?.concurrency !== undefined);

/** Waits for a free slot at every tool of the call, until `dispatchBefore` at the latest. */
async function takeSlots(deps: GatewayDeps, dispatch: Dispatch, recall: Cancellation): Promise<ReleaseSlot | null> {
  const places = [{ tool: dispatch.call.tool, limits: dispatch.limits }, ...dispatch.behind];
  const tooLate = new AbortController();
  const giveUp = (): void => tooLate.abort();
  const late = wakeAt(deps.timer, dispatch.dispatchBefore, giveUp, giveUp);
  const signal = AbortSignal.any([recall.signal, tooLate.signal]);
  const taken: ReleaseSlot[] = [];
  const leaveAll = (): void => {
    for (const leave of taken) leave();
  };
  try {
    for (const place of places) {
      const leave = await takeSlot(deps, dispatch.run.tenantId, place, signal);
      if (leave !== null) taken.push(leave);
      else break;
    }
  } finally {
    late.cancel();
  }
  if (taken.length === places.length) return leaveAll;
  leaveAll();
  return null;
}

async function takeSlot(
  deps: GatewayDeps,
  tenantId: string,
  { tool, limits }: ConcurrencySlot,
  signal: AbortSignal,
): Promise<ReleaseSlot | null> {
  const most = limits?.concurrency;
  if (most === undefined) return NO_SLOT;
  const name = `${tenantId}\n${tool}`;
  const before = deps.clock.nowMs();
  const leave = await deps.slots.enter(name, most, signal);
  // The instant that the rate limiter had reserved has passed while the call waited for a slot, so it takes a new one.
  const now = deps.clock.nowMs();
  if (leave !== null && limits?.rate !== undefined && now > before) {
    await deps.timer.until(deps.rates.take(name, limits.rate, now), signal);
  }
  return leave;
}

/** A call that is in flight. */
interface Sent {
  /** The tool's answer, or null as soon as the call times out or is recalled. */
  readonly answerInTime: Promise<ObservedEvent | null>;
  /** The tool's answer, however late. */
  readonly answering: Promise<ObservedEvent>;
  readonly out: ToolCallLimits;
  readonly end: () => void;
}

/** Hands the call to its tool. The call keeps its slots until the tool has answered, even long after its timeout. */
function send(
  { tools, timer, openModelClient }: GatewayDeps,
  dispatch: Dispatch,
  recall: Cancellation,
  { leave, sentAt }: { readonly leave: ReleaseSlot | null; readonly sentAt: number },
): Sent {
  const { promise: answerInTime, resolve: settle, reject: fail } = Promise.withResolvers<ObservedEvent | null>();
  const out = new ToolCallLimits(openModelClient, dispatch);
  const onRecall = (): void => {
    settle(null);
    out.stop.cancel();
  };
  recall.addListener(onRecall);
  const timeout = wakeAt(timer, sentAt + dispatch.timeoutMs, () => settle(null), fail);
  const answering = attempt(tools, dispatch.call, out);
  void answering.then((answer) => {
    leave?.();
    settle(answer);
  });
  const end = (): void => {
    timeout.cancel();
    recall.removeListener(onRecall);
    out.stop.cancel(OVER);
  };
  return { answerInTime, answering, out, end };
}

/** The observation of a call that timed out or was recalled. */
function abandonedObservation({ call, timeoutMs }: Dispatch, recall: Cancellation): ObservedEvent {
  if (recall.isCancelled) return observation(call, 'cancelled', 'called back');
  return observation(call, 'timeout', `no answer within ${timeoutMs} ms`);
}

/** Created once: an abort without a reason creates an error with a stack trace, and every call ends with an abort. */
const OVER = new DOMException('the call is over', 'AbortError');

/**
 * Adds the cost of the model calls as the model client measured it, regardless of the cost that the tool reports, and
 * the GPU time that the tool reported until now.
 */
function addMetered(event: ObservedEvent, out: ToolCallLimits): CallAnswer {
  const { calls, blobs, spent } = out.account();
  const metered = out.gpuMs === 0 ? event : { ...event, spent: { ...event.spent, gpu_ms: out.gpuMs } };
  if (calls.length === 0) return { event: metered, blobs };
  return { event: { ...metered, spent: { ...metered.spent, ...addCost(event.spent, spent) }, calls }, blobs };
}

/** Whether a late answer is worth recording. An error or a cancellation after a recall is no answer. */
const isAnswer = ({ outcome }: ObservedEvent): boolean => outcome !== 'error' && outcome !== 'cancelled';

function recordLate({ hash }: GatewayDeps, dispatch: Dispatch, late: ObservedEvent, onLateAnswer: OnLateAnswer): void {
  if (!isAnswer(late)) return;
  const answered = { event: late, blobs: [] };
  const { event, blobs } = toRecord(answered, () => moveLargeAnswer(answered, dispatch, hash));
  const { call_id, outcome, raw, detail = '', spent } = event;
  onLateAnswer({ event: { type: 'answer_came_late', call_id, outcome, raw, detail, spent }, blobs });
}

/** Reports the outcome to the breakers. A denied, expired or cancelled call does not show whether the tool works. */
function noteOutcome({ breakers }: GatewayDeps, dispatch: Dispatch, { outcome }: ObservedEvent, now: number): void {
  if (outcome === 'denied' || outcome === 'expired' || outcome === 'cancelled') return;
  const worked = outcome === 'ok' || outcome === 'empty';
  for (const tool of occupiedTools(dispatch)) breakers.note(tool, dispatch.run.tenantId, worked, now);
}

function noteDuration(
  { metrics }: GatewayDeps,
  { call, run }: Dispatch,
  { outcome }: ObservedEvent,
  tookMs: number,
): void {
  const about = { tenant: run.tenantId, tool: call.tool, outcome };
  metrics?.observe('ambit_call_duration_seconds', about, tookMs / 1_000);
}

/** The tool of a call and those it is passed on to. */
const occupiedTools = ({ call, behind }: Dispatch): readonly string[] =>
  behind.length === 0 ? [call.tool] : [call.tool, ...behind.map(({ tool }) => tool)];

/** Moves a large answer into a blob. The complete answer is checked first, because its preview fits no schema. */
function moveLargeAnswer({ event, blobs }: CallAnswer, { limits, ruleOn, bound }: Dispatch, hash: Hash): CallAnswer {
  const aside = moveToBlob(event.raw, limits, hash, bound);
  if (aside === null) return { event, blobs };
  const ruled = event.outcome === 'ok' && ruleOn !== undefined ? { stored: ruleOn(event.raw, aside.raw) } : {};
  return { event: { ...event, raw: aside.raw, ...ruled }, blobs: [...blobs, aside.blob], full: event.raw };
}

async function attempt(tools: Tools, call: ToolCall, limits: CallLimits): Promise<ObservedEvent> {
  try {
    return toEvent(call, await tools.call(call, limits));
  } catch (error) {
    if (NotSentError.is(error)) return unsentObservation(call, 'denied', error.message);
    return failedObservation(call, error);
  }
}
