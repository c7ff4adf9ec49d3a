import type { ProbeRefusal, Reconciliation } from '../model/events/step-events.ts';
import { address } from '../model/hash.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';
import type { PolicyDecision } from '../model/policy-decision.ts';
import { reasonOf } from '../model/printable.ts';
import type { Problem } from '../model/problem.ts';
import type { StoredAnswer } from '../model/stored-answer.ts';
import { NO_COST, type ToolCall, type ToolCost, type ToolOutcome, type ToolSpec } from '../model/tool.ts';
import type { MadeCall } from '../ports/bound-tool.ts';
import type { Recall } from '../ports/recall.ts';
import type { Caller } from '../ports/tools.ts';
import { type Answer, callTool, type HearLate, type Place, type Street } from './call-tool.ts';
import type { ProbeClearance } from './clear-probe.ts';
import { putAside } from './payload.ts';
import { argumentsByName } from './tool/probing.ts';

/** A call that somebody is to look at, and the read-only tool that looks. */
export interface Look {
  readonly call: ToolCall;
  readonly probeName: string;
  readonly probe: ToolSpec | undefined;
  readonly run: Caller;
  readonly notBefore: number;
  /** What every layer of the gateway says of asking the probe that, at the moment when it would be asked. */
  readonly clear: (args: JsonObject, argsHash: string, now: number) => ProbeClearance;
  /** What a probe that is a dispatcher passes its call on to. */
  readonly behind: (args: JsonObject) => readonly Place[];
  readonly stoppedBy: (args: JsonObject) => Promise<string | null>;
  /** What the schema of the probe says about its answer. */
  readonly checkAnswer: (answer: Json) => readonly Problem[];
  /** What the schema of the tool that was called says about a result. */
  readonly checkResult: (result: Json) => readonly Problem[];
  /** What is to be said of a whole result of that tool before it is put aside. */
  readonly ruleOn: (result: Json, aside: Json) => StoredAnswer;
  /** The places in such a result that later steps are bound to. */
  readonly bound: () => readonly string[];
}

interface Seen {
  readonly outcome: ToolOutcome;
  /** The whole answer, and what stands for it on record. */
  readonly whole: Json;
  readonly raw: Json;
  readonly detail: string;
  readonly spent: ToolCost;
  readonly blobs: Answer['blobs'];
  /** What the gateway made of the question, for the record. */
  readonly ruled: Ruled;
}

interface Ruled {
  readonly refused?: ProbeRefusal;
  readonly policy?: PolicyDecision;
}

/** Where the answer of a probe goes: back, as long as somebody waits for it, and after that on record. */
export interface Listening {
  readonly recall: Recall;
  readonly hearLate: HearLate;
}

/**
 * Finds out what became of a call. A probe that answers in the shape of the tool has found what it did; one that
 * answers with nothing has found that there is nothing; one that says `{ finding, result }` says it in so many words.
 * Whatever else comes back leaves it unknown.
 */
export async function reconcileCall(street: Street, look: Look, listening: Listening): Promise<Answer> {
  const { call } = look;
  const args = street.tools.probing?.(call.tool)?.reconcile?.args;
  const seen = await send(street, look, { args, result: null, purpose: 'reconcile' }, listening);
  const { finding, raw } = findingOf(seen, look.checkResult);
  const { detail, spent, blobs, ruled } = seen;
  const about = { type: 'call_reconciled', call_id: call.call_id, probe: look.probeName, finding } as const;
  const aside = putAside(raw, look.probe?.limits, street.hash, look.bound);
  if (aside === null) return { event: { ...about, raw, detail, spent, ...ruled }, blobs };
  const stored = finding === 'happened' ? { stored: look.ruleOn(raw, aside.raw) } : {};
  const others = blobs.filter(({ address: kept }) => kept !== aside.blob.address);
  return { event: { ...about, raw: aside.raw, detail, spent, ...ruled, ...stored }, blobs: [...others, aside.blob] };
}

/** Has somebody else look whether a tool did what it says. Only a clear yes is one. */
export async function probeStep(street: Street, look: Look, result: Json, listening: Listening): Promise<Answer> {
  const { call } = look;
  const verify = street.tools.probing?.(call.tool)?.verify;
  const seen = await send(street, look, { args: verify?.args, result, purpose: 'verify' }, listening);
  const judged = seen.outcome === 'ok' ? asExpected(verify?.expect, call.args, seen.whole) : said(seen);
  const { raw, spent, blobs, ruled } = seen;
  const about = { call_id: call.call_id, probe: look.probeName };
  return { event: { type: 'step_probed', ...about, ...judged, raw, spent, ...ruled }, blobs };
}

interface Question {
  readonly args: ((call: MadeCall) => JsonObject) | undefined;
  readonly result: Json;
  readonly purpose: 'reconcile' | 'verify';
}

/** A probe is cleared like any other call, when its time has come: nothing about it was ruled on before. */
async function send(street: Street, look: Look, question: Question, listening: Listening): Promise<Seen> {
  const { call, probe, notBefore } = look;
  // Nobody is asked before a probe is called, so one that could do more than look is not called at all.
  if (probe === undefined || probe.side_effect || probe.approval_mode !== 'read_only') {
    return unseen('there is no read-only probe of that name');
  }
  const made = { args: call.args, idempotencyKey: call.idempotency_key, result: question.result };
  let asked: JsonObject;
  try {
    asked = question.args === undefined ? argumentsByName(probe.input_schema, made) : question.args(made);
  } catch (error) {
    return unseen(`what to ask ${probe.name} could not be made out: ${reasonOf(error)}`);
  }
  if (notBefore > street.clock.nowMs()) await street.timer.until(notBefore, listening.recall.signal);
  if (listening.recall.raised) return unseen('called back before it was asked');
  const argsHash = address(street.hash, asked);
  const clearance = look.clear(asked, argsHash, street.clock.nowMs());
  const said = clearance.policy === undefined ? {} : { policy: clearance.policy };
  if (!clearance.ok) return unseen(`not asked: ${clearance.message}`, { refused: clearance.refused, ...said });
  const sent: ToolCall = {
    call_id: `${call.call_id}:${question.purpose}`,
    step_id: call.step_id,
    tool: probe.name,
    args: asked,
    args_hash: argsHash,
    idempotency_key: street.hash(`${call.idempotency_key}\n${question.purpose}`),
    attempt: 1,
  };
  const seen = await answerOf(street, look, { probe, sent, notBefore: clearance.notBefore }, listening);
  return { ...seen, ruled: said };
}

interface Sent {
  readonly probe: ToolSpec;
  readonly sent: ToolCall;
  readonly notBefore: number;
}

async function answerOf(
  street: Street,
  look: Look,
  { probe, sent, notBefore }: Sent,
  { recall, hearLate }: Listening,
): Promise<Seen> {
  const dispatch = {
    call: sent,
    limits: probe.limits,
    behind: look.behind(sent.args),
    run: look.run,
    timeoutMs: probe.timeout_ms,
    notBefore,
    dispatchBefore: Math.max(notBefore, street.clock.nowMs()) + probe.timeout_ms,
    stoppedBy: () => look.stoppedBy(sent.args),
  };
  const { event, blobs, whole: said } = await callTool(street, dispatch, recall, hearLate);
  if (event.type !== 'step_observed') return unseen('the probe was not answered');
  const { outcome, raw, detail = '', spent } = event;
  const whole = said ?? raw;
  const seen = { outcome, whole, raw, detail, spent, blobs, ruled: {} };
  const [unfit] = outcome === 'ok' ? look.checkAnswer(whole) : [];
  return unfit === undefined
    ? seen
    : { ...seen, outcome: 'malformed', detail: `${unfit.path} ${unfit.message}`.trim() };
}

const unseen = (detail: string, ruled: Ruled = {}): Seen => ({
  outcome: 'error',
  whole: null,
  raw: null,
  detail,
  spent: NO_COST,
  blobs: [],
  ruled,
});

const WORDS: ReadonlyMap<Json | undefined, Reconciliation> = new Map([
  ['happened', 'happened'],
  ['did_not_happen', 'did_not_happen'],
  ['unknown', 'unknown'],
]);

interface Found {
  readonly finding: Reconciliation;
  readonly raw: Json;
}

function findingOf({ outcome, whole: raw }: Seen, checkResult: Look['checkResult']): Found {
  if (outcome === 'empty') return { finding: 'did_not_happen', raw: null };
  if (outcome !== 'ok') return { finding: 'unknown', raw };
  if (checkResult(raw).length === 0 && !isFinding(raw)) return { finding: 'happened', raw };
  if (!isJsonObject(raw)) return { finding: 'unknown', raw };
  const finding = WORDS.get(own(raw, 'finding')) ?? 'unknown';
  return finding === 'happened' ? { finding, raw: own(raw, 'result') ?? null } : { finding, raw };
}

/** A tool whose own results may be anything still cannot mistake the probe's words for one of them. */
const isFinding = (raw: Json): boolean => isJsonObject(raw) && WORDS.has(own(raw, 'finding'));

interface Judged {
  readonly as_expected: boolean;
  readonly detail: string;
}

const said = ({ detail, outcome }: Seen): Judged => ({ as_expected: false, detail: detail === '' ? outcome : detail });

function asExpected(
  expect: ((args: JsonObject, found: Json) => boolean) | undefined,
  args: JsonObject,
  found: Json,
): Judged {
  if (expect === undefined) return { as_expected: false, detail: 'nobody has said what to expect' };
  try {
    const as_expected = expect(args, found) === true;
    return { as_expected, detail: as_expected ? '' : 'what was found is not what was expected' };
  } catch (error) {
    return { as_expected: false, detail: `what was found could not be held against the call: ${reasonOf(error)}` };
  }
}
