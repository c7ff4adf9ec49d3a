import type { Blob } from '../model/blob.ts';
import type { EventBody } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import type { Hash } from '../model/hash.ts';
import { ANSWER_LIMITS, type Json } from '../model/json.ts';
import { reasonOf } from '../model/printable.ts';
import type { StoredAnswer } from '../model/stored-answer.ts';
import { takeJson } from '../model/take-json.ts';
import {
  addCost,
  NO_COST,
  TOOL_OUTCOMES,
  type ToolCall,
  type ToolCost,
  type ToolLimits,
  type ToolOutcome,
  type ToolResult,
} from '../model/tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { Infrastructure } from '../ports/infrastructure.ts';
import type { DeskAccount, OpenDesk } from '../ports/language-model.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Recall } from '../ports/recall.ts';
import { type Timer, wakeAt } from '../ports/timer.ts';
import type { Caller, CallLimits, Tools } from '../ports/tools.ts';
import { CallOut } from './call-out.ts';
import { permitted } from './layers/infrastructure.ts';
import type { Breakers } from './limits/breakers.ts';
import type { Rates } from './limits/rates.ts';
import type { Leave, Slots } from './limits/slots.ts';
import { NeverHanded } from './never-handed.ts';
import { putAside } from './payload.ts';

export interface Dispatch {
  readonly call: ToolCall;
  /** The most that it may take, which is set aside for it; a tool that asks models may spend that on them. */
  readonly cost?: ToolCost;
  readonly limits: ToolLimits | undefined;
  /** What a dispatcher passes the call on to, each with its own limits. */
  readonly behind: readonly Place[];
  readonly run: Caller;
  readonly timeoutMs: number;
  readonly notBefore: number;
  readonly dispatchBefore: number;
  /** It may change something: what is settled under its key is answered from the ledger. */
  readonly once?: boolean;
  /** The most calls that the run may make; absent for what takes back. Counted here as well as by the run itself. */
  readonly callsMax?: number | undefined;
  /** Answered from what was kept. */
  readonly cached?: true | undefined;
  /** Where a good answer may be given again: for how long, whether it is trusted, and what a good one looks like. */
  readonly keep?: Keep | undefined;
  /** What is to be said of a whole answer before it is put aside. */
  readonly ruleOn?: (raw: Json, aside: Json) => StoredAnswer;
  /** The places in the answer that later steps are bound to. Asked where it is put aside. */
  readonly bound?: () => readonly string[];
  /** Who has stopped such calls since this one was cleared, or null. Asked of a call that had to wait. */
  readonly stoppedBy?: () => Promise<string | null>;
}

/** A good answer that may stand in for the tool when it is down. */
export interface Keep {
  readonly forMs: number;
  readonly trusted: boolean;
  readonly fits: (raw: Json) => boolean;
}

/** A tool that a call occupies while it is out. */
export interface Place {
  readonly tool: string;
  readonly limits: ToolLimits | undefined;
}

export interface Street {
  readonly tools: Tools;
  readonly infrastructure: Infrastructure;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly hash: Hash;
  readonly breakers: Breakers;
  readonly slots: Slots;
  readonly rates: Rates;
  readonly metrics?: Metrics;
  /** Where tools that ask models ask them. Without one, they cannot. */
  readonly openDesk?: OpenDesk;
}

/** What became of a call, and what has to be kept with it. */
export interface Answer {
  readonly event: EventBody;
  readonly blobs: readonly Blob[];
  /** What was said, where only its address stands in the event. */
  readonly whole?: Json;
}

/** Where an answer goes that came after its time was up: on record, and nowhere else. */
export type HearLate = (late: Answer) => void;

/**
 * Sends one call out and brings back whatever became of it. It always answers: with the result, with the failure, or,
 * when its time is up or it is called back, with that.
 */
export async function callTool(
  street: Street,
  dispatch: Dispatch,
  recall: Recall,
  hearLate: HearLate,
): Promise<Answer> {
  const { clock } = street;
  const now = clock.nowMs();
  const ready = isReady(dispatch, now) ? { ...AT_ONCE, now } : await readiness(street, dispatch, recall, now);
  const obstacle = obstacleTo(street, dispatch, recall, ready);
  if (obstacle !== null) {
    ready.leave?.();
    return unsent(dispatch.call, obstacle.outcome, obstacle.why);
  }
  const sentAt = clock.nowMs();
  const sent = send(street, dispatch, recall, { leave: ready.leave, sentAt });
  let said: Said;
  try {
    const answer = await sent.heard;
    if (answer === null) void sent.answering.then((late) => keepLate(street, dispatch, late, hearLate));
    said = withModels(answer ?? givenUp(dispatch, recall), sent.out.account());
  } finally {
    sent.end();
  }
  const heardAt = clock.nowMs();
  noteOutcome(street, dispatch, said.event, heardAt);
  noteDuration(street, dispatch, said.event, heardAt - sentAt);
  return withinBounds(said, dispatch, street.hash);
}

/** How a call stands when it can be sent. */
interface Ready {
  /** Gives back the places that it has taken; null where there was none in time. */
  readonly leave: Leave | null;
  readonly now: number;
  /** Who has stopped such calls while it waited. */
  readonly stopped: string | null;
}

const NOTHING_TO_LEAVE: Leave = () => undefined;
const AT_ONCE = Object.freeze({ leave: NOTHING_TO_LEAVE, stopped: null });

const isReady = (dispatch: Dispatch, now: number): boolean => dispatch.notBefore <= now && !hasPlaces(dispatch);

/** Waits until the call can be sent. Whoever had to wait asks again what may have changed meanwhile. */
async function readiness(street: Street, dispatch: Dispatch, recall: Recall, cleared: number): Promise<Ready> {
  const { clock, timer } = street;
  if (dispatch.notBefore > cleared) await timer.until(dispatch.notBefore, recall.signal);
  const leave = hasPlaces(dispatch) ? await enter(street, dispatch, recall) : NOTHING_TO_LEAVE;
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

function obstacleTo(street: Street, dispatch: Dispatch, recall: Recall, ready: Ready): Obstacle | null {
  const { call, run } = dispatch;
  if (ready.leave === null) return TOO_LATE;
  if (recall.raised) return { outcome: 'cancelled', why: 'called back before it was sent' };
  if (ready.now > dispatch.dispatchBefore) return TOO_LATE;
  if (ready.stopped !== null) return { outcome: 'denied', why: `not sent: ${ready.stopped}` };
  const ruling = permitted(street.infrastructure, { ...run, tool: call.tool, args: call.args });
  if (!ruling.ok) return { outcome: 'denied', why: `not sent: ${ruling.reason}` };
  return brokenTool(street, dispatch, ready.now);
}

/** A breaker may have opened, or given its one try to another call, since this one was cleared. */
function brokenTool({ breakers }: Street, dispatch: Dispatch, now: number): Obstacle | null {
  const { run } = dispatch;
  const names = occupied(dispatch);
  const broken = names.find((tool) => breakers.refusedUntil(tool, run.tenantId, now) !== null);
  if (broken !== undefined) return { outcome: 'error', why: `not sent: ${broken} has failed too often in a row` };
  for (const tool of names) breakers.enter(tool, run.tenantId, now);
  return null;
}

/** Whether any tool that the call occupies takes only so many at once. */
const hasPlaces = ({ limits, behind }: Dispatch): boolean =>
  limits?.concurrency !== undefined || behind.some((place) => place.limits?.concurrency !== undefined);

/** Waits for a free place at every tool that the call occupies, but not beyond the time in which it may be sent. */
async function enter(street: Street, dispatch: Dispatch, recall: Recall): Promise<Leave | null> {
  const places = [{ tool: dispatch.call.tool, limits: dispatch.limits }, ...dispatch.behind];
  const tooLate = new AbortController();
  const giveUp = (): void => tooLate.abort();
  const late = wakeAt(street.timer, dispatch.dispatchBefore, giveUp, giveUp);
  const hurry = AbortSignal.any([recall.signal, tooLate.signal]);
  const taken: Leave[] = [];
  const leaveAll = (): void => {
    for (const leave of taken) leave();
  };
  try {
    for (const place of places) {
      const leave = await enterOne(street, dispatch.run.tenantId, place, hurry);
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

async function enterOne(
  street: Street,
  tenantId: string,
  { tool, limits }: Place,
  hurry: AbortSignal,
): Promise<Leave | null> {
  const most = limits?.concurrency;
  if (most === undefined) return NOTHING_TO_LEAVE;
  const name = `${tenantId}\n${tool}`;
  const before = street.clock.nowMs();
  const leave = await street.slots.enter(name, most, hurry);
  // The instant that the rate had kept for this call has gone by while it waited for its place.
  const now = street.clock.nowMs();
  if (leave !== null && limits?.rate !== undefined && now > before) {
    await street.timer.until(street.rates.take(name, limits.rate, now), hurry);
  }
  return leave;
}

/** A call that is out. */
interface Sent {
  /** What its tool answers, or null as soon as nobody waits for that any more. */
  readonly heard: Promise<Observed | null>;
  /** What its tool answers, however late that is. */
  readonly answering: Promise<Observed>;
  readonly out: CallOut;
  readonly end: () => void;
}

/** A call keeps its place until its tool has answered, however long after its time was up that is. */
function send(
  { tools, timer, openDesk }: Street,
  dispatch: Dispatch,
  recall: Recall,
  { leave, sentAt }: { readonly leave: Leave | null; readonly sentAt: number },
): Sent {
  const { promise: heard, resolve: hear, reject: fail } = Promise.withResolvers<Observed | null>();
  const out = new CallOut(openDesk, dispatch);
  const onRecall = (): void => {
    hear(null);
    out.stop.raise();
  };
  recall.heed(onRecall);
  const timeout = wakeAt(timer, sentAt + dispatch.timeoutMs, () => hear(null), fail);
  const answering = attempt(tools, dispatch.call, out);
  void answering.then((answer) => {
    leave?.();
    hear(answer);
  });
  const end = (): void => {
    timeout.cancel();
    recall.ignore(onRecall);
    out.stop.raise(OVER);
  };
  return { heard, answering, out, end };
}

/** What is said of a call that nobody waits for any more. */
function givenUp({ call, timeoutMs }: Dispatch, recall: Recall): Observed {
  if (recall.raised) return observation(call, 'cancelled', 'called back');
  return observation(call, 'timeout', `no answer within ${timeoutMs} ms`);
}

/** Made once: an abort without a reason makes one with the whole stack in it, and every call ends with an abort. */
const OVER = new DOMException('the call is over', 'AbortError');

/** What a tool said, and what models it asked for it said. */
interface Said extends Answer {
  readonly event: Observed;
}

/** What a tool takes of models is charged as the desk measured it, whatever the tool says. */
function withModels(event: Observed, { calls, blobs, spent }: DeskAccount): Said {
  if (calls.length === 0) return { event, blobs };
  return { event: { ...event, spent: addCost(event.spent, spent), calls }, blobs };
}

/** A tool that was told to stop and says that it did has not answered; anything else that it says is kept. */
const isAnswer = ({ outcome }: Observed): boolean => outcome !== 'error' && outcome !== 'cancelled';

function keepLate({ hash }: Street, dispatch: Dispatch, late: Observed, hearLate: HearLate): void {
  if (!isAnswer(late)) return;
  const { event, blobs } = withinBounds({ event: late, blobs: [] }, dispatch, hash);
  const { call_id, outcome, raw, detail = '', spent } = event;
  hearLate({ event: { type: 'answer_came_late', call_id, outcome, raw, detail, spent }, blobs });
}

/** A refusal by the tool's own rules says nothing about whether it works. */
function noteOutcome({ breakers }: Street, dispatch: Dispatch, { outcome }: Observed, now: number): void {
  if (outcome === 'denied' || outcome === 'expired' || outcome === 'cancelled') return;
  const worked = outcome === 'ok' || outcome === 'empty';
  for (const tool of occupied(dispatch)) breakers.note(tool, dispatch.run.tenantId, worked, now);
}

function noteDuration({ metrics }: Street, { call, run }: Dispatch, { outcome }: Observed, tookMs: number): void {
  const about = { tenant: run.tenantId, tool: call.tool, outcome };
  metrics?.observe('ambit_call_duration_seconds', about, tookMs / 1_000);
}

/** The tool of a call and those it is passed on to. */
const occupied = ({ call, behind }: Dispatch): readonly string[] =>
  behind.length === 0 ? [call.tool] : [call.tool, ...behind.map(({ tool }) => tool)];

/** The whole is looked at before it is put aside: what stands in its place could not be held against any schema. */
function withinBounds({ event, blobs }: Said, { limits, ruleOn, bound }: Dispatch, hash: Hash): Said {
  const aside = putAside(event.raw, limits, hash, bound);
  if (aside === null) return { event, blobs };
  const ruled = event.outcome === 'ok' && ruleOn !== undefined ? { stored: ruleOn(event.raw, aside.raw) } : {};
  return { event: { ...event, raw: aside.raw, ...ruled }, blobs: [...blobs, aside.blob], whole: event.raw };
}

async function attempt(tools: Tools, call: ToolCall, limits: CallLimits): Promise<Observed> {
  try {
    return toEvent(call, await tools.call(call, limits));
  } catch (error) {
    if (NeverHanded.is(error)) return { ...observation(call, 'denied', error.message), unsent: true };
    const failed = observation(call, outcomeOf(error), reasonOf(error));
    return isMisconfigured(error) ? { ...failed, misconfigured: true } : failed;
  }
}

/** A key that is refused, a model that there is none of: only whoever changes the configuration can help. */
const isMisconfigured = (error: unknown): boolean => codeOf(error) === 'model_misconfigured';

function outcomeOf(error: unknown): ToolOutcome {
  const code = codeOf(error);
  if (code === 'permission_denied') return 'denied';
  return code === 'credential_expired' ? 'expired' : 'error';
}

/** A stranger's error can look like one of ours when it is asked first, and throw when it is asked again. */
function codeOf(error: unknown): string | null {
  try {
    return Fault.is(error) ? error.code : null;
  } catch {
    return null;
  }
}

/** What comes back from outside is looked at before it is believed to be JSON, or an answer, at all. */
function toEvent(call: ToolCall, result: ToolResult): Observed {
  try {
    if (typeof result !== 'object' || result === null) return observation(call, 'malformed', 'that is no result');
    const { outcome, spent, detail } = result;
    const raw = takeJson(result.raw, ANSWER_LIMITS);
    // What our own hands put together is no news, and this runs in every step.
    if (spent === NO_COST && detail === undefined && isOutcome(outcome))
      return { type: 'step_observed', call_id: call.call_id, outcome, raw, spent };
    const said = detail === undefined ? {} : { detail: reasonOf(detail) };
    const body = parseEventBody({ type: 'step_observed', call_id: call.call_id, outcome, raw: null, spent, ...said });
    return { ...body, raw } as Observed;
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return observation(call, 'malformed', reasonOf(error));
  }
}

const isOutcome = (value: ToolOutcome): boolean => TOOL_OUTCOMES.includes(value);

type Observed = Extract<EventBody, { type: 'step_observed' }>;

function observation(call: ToolCall, outcome: ToolOutcome, detail: string): Observed {
  return { type: 'step_observed', call_id: call.call_id, outcome, raw: null, detail, spent: NO_COST };
}

/** Said by the gateway alone, and only of a call that its tool was never handed. */
const unsent = (call: ToolCall, outcome: ToolOutcome, detail: string): Answer => ({
  event: { ...observation(call, outcome, detail), unsent: true },
  blobs: [],
});

/** One call more than the run may make. Whoever asked for it should have known. */
export const beyond = (call: ToolCall, most: number): Answer =>
  unsent(call, 'denied', `not sent: the budget of this run is ${most} tool calls, and that many have been sent`);
