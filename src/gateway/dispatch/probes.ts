import type { ProbeRefusal, Reconciliation } from '../../model/events/step-events.ts';
import { address } from '../../model/json/hash.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { PolicyDecision } from '../../model/policy/policy-decision.ts';
import type { StoredAnswer } from '../../model/tool/observation.ts';
import { NO_COST, type ToolCall, type ToolCost, type ToolOutcome, type ToolSpec } from '../../model/tool/tool.ts';
import type { Caller, MadeCall } from '../../ports/bound-tool.ts';
import type { Cancellation } from '../../ports/cancellation.ts';
import { argumentsByName } from '../tool/probing.ts';
import type { ProbeClearance } from './authorize-step.ts';
import { type ConcurrencySlot, callTool, type GatewayDeps, type OnLateAnswer } from './call-tool.ts';
import { moveToBlob } from './move-to-blob.ts';
import type { ToolAnswer } from './tool-answer.ts';

/** A call to check, and the read-only probe that checks it. */
export interface ProbeRequest {
  readonly call: ToolCall;
  readonly probeName: string;
  readonly probe: ToolSpec | undefined;
  readonly run: Caller;
  readonly notBefore: number;
  /** Runs every layer of the gateway on the probe call, at the moment when it would be sent. */
  readonly clear: (args: JsonObject, argsHash: string, now: number) => ProbeClearance;
  /** The tools that a probe passes its call on to, if it is a dispatcher. */
  readonly behind: (args: JsonObject) => readonly ConcurrencySlot[];
  readonly stoppedBy: (args: JsonObject) => Promise<string | null>;
  /** Checks an answer against the output schema of the probe. */
  readonly checkAnswer: (answer: Json) => readonly Problem[];
  /** Checks a result against the output schema of the tool that was called. */
  readonly checkResult: (result: Json) => readonly Problem[];
  /** Checks a complete result of that tool before it is moved into a blob. */
  readonly ruleOn: (result: Json, aside: Json) => StoredAnswer;
  /** JSON Pointers into such a result that later steps are bound to. */
  readonly bound: () => readonly string[];
}

interface Seen {
  readonly outcome: ToolOutcome;
  /** The complete answer; `raw` is its form in the journal. */
  readonly full: Json;
  readonly raw: Json;
  readonly detail: string;
  readonly spent: ToolCost;
  readonly blobs: ToolAnswer['blobs'];
  /** The gateway's ruling on the probe call, for the record. */
  readonly ruled: Ruled;
}

interface Ruled {
  readonly refused?: ProbeRefusal;
  readonly policy?: PolicyDecision;
}

/** The recipients of a probe's answer: the caller until it recalls the probe, then the journal. */
export interface ProbeListeners {
  readonly recall: Cancellation;
  readonly onLateAnswer: OnLateAnswer;
}

/**
 * Asks the reconcile probe whether a call happened. An answer that fits the tool's output schema means it did; an empty
 * answer means it did not; `{ finding, result }` states it explicitly, e.g. `{ finding: 'did_not_happen' }`. Any other
 * answer means unknown.
 */
export async function reconcileCall(
  deps: GatewayDeps,
  look: ProbeRequest,
  listening: ProbeListeners,
): Promise<ToolAnswer> {
  const { call } = look;
  const args = deps.tools.probing?.(call.tool)?.reconcile?.args;
  const seen = await send(deps, look, { args, result: null, purpose: 'reconcile' }, listening);
  const { finding, raw } = findingOf(seen, look.checkResult);
  const { detail, spent, blobs, ruled } = seen;
  const about = { type: 'call_reconciled', call_id: call.call_id, probe: look.probeName, finding } as const;
  const aside = moveToBlob(raw, look.probe?.limits, deps.hash, look.bound);
  if (aside === null) return { event: { ...about, raw, detail, spent, ...ruled }, blobs };
  const stored = finding === 'happened' ? { stored: look.ruleOn(raw, aside.raw) } : {};
  const others = blobs.filter(({ address: kept }) => kept !== aside.blob.address);
  return { event: { ...about, raw: aside.raw, detail, spent, ...ruled, ...stored }, blobs: [...others, aside.blob] };
}

/** Asks the verify probe whether a tool did what it reports. Only an explicit yes counts. */
export async function probeStep(
  deps: GatewayDeps,
  look: ProbeRequest,
  result: Json,
  listening: ProbeListeners,
): Promise<ToolAnswer> {
  const { call } = look;
  const verify = deps.tools.probing?.(call.tool)?.verify;
  const seen = await send(deps, look, { args: verify?.args, result, purpose: 'verify' }, listening);
  const judged = seen.outcome === 'ok' ? judgeExpectation(verify?.expect, call.args, seen.full) : judgeFailure(seen);
  const { raw, spent, blobs, ruled } = seen;
  const about = { call_id: call.call_id, probe: look.probeName };
  return { event: { type: 'step_probed', ...about, ...judged, raw, spent, ...ruled }, blobs };
}

interface Question {
  readonly args: ((call: MadeCall) => JsonObject) | undefined;
  readonly result: Json;
  readonly purpose: 'reconcile' | 'verify';
}

/** Authorizes and sends a probe call. No plan has proposed it, so it is authorized at dispatch time. */
async function send(
  deps: GatewayDeps,
  look: ProbeRequest,
  question: Question,
  listening: ProbeListeners,
): Promise<Seen> {
  const { call, probe, notBefore } = look;
  // Probes open no gates, so a probe that could do more than read is never called.
  if (probe === undefined || probe.side_effect || probe.approval_mode !== 'read_only') {
    return failedProbe('there is no read-only probe of that name');
  }
  const made = { args: call.args, idempotencyKey: call.idempotency_key, result: question.result };
  let asked: JsonObject;
  try {
    asked = question.args === undefined ? argumentsByName(probe.input_schema, made) : question.args(made);
  } catch (error) {
    return failedProbe(`what to ask ${probe.name} could not be made out: ${reasonOf(error)}`);
  }
  if (notBefore > deps.clock.nowMs()) await deps.timer.until(notBefore, listening.recall.signal);
  if (listening.recall.isCancelled) return failedProbe('called back before it was asked');
  const argsHash = address(deps.hash, asked);
  const clearance = look.clear(asked, argsHash, deps.clock.nowMs());
  const policyPart = clearance.policy === undefined ? {} : { policy: clearance.policy };
  if (!clearance.ok)
    return failedProbe(`not asked: ${clearance.message}`, { refused: clearance.refused, ...policyPart });
  const sent: ToolCall = {
    call_id: `${call.call_id}:${question.purpose}`,
    step_id: call.step_id,
    tool: probe.name,
    args: asked,
    args_hash: argsHash,
    idempotency_key: deps.hash(`${call.idempotency_key}\n${question.purpose}`),
    attempt: 1,
  };
  const seen = await callProbe(deps, look, { probe, sent, notBefore: clearance.notBefore }, listening);
  return { ...seen, ruled: policyPart };
}

async function callProbe(
  deps: GatewayDeps,
  look: ProbeRequest,
  { probe, sent, notBefore }: { readonly probe: ToolSpec; readonly sent: ToolCall; readonly notBefore: number },
  { recall, onLateAnswer }: ProbeListeners,
): Promise<Seen> {
  const dispatch = {
    call: sent,
    limits: probe.limits,
    behind: look.behind(sent.args),
    run: look.run,
    timeoutMs: probe.timeout_ms,
    notBefore,
    dispatchBefore: Math.max(notBefore, deps.clock.nowMs()) + probe.timeout_ms,
    stoppedBy: () => look.stoppedBy(sent.args),
  };
  const { event, blobs, full: complete } = await callTool(deps, dispatch, recall, onLateAnswer);
  if (event.type !== 'step_observed') return failedProbe('the probe was not answered');
  const { outcome, raw, detail = '', spent } = event;
  const full = complete ?? raw;
  const seen = { outcome, full, raw, detail, spent, blobs, ruled: {} };
  const [unfit] = outcome === 'ok' ? look.checkAnswer(full) : [];
  return unfit === undefined
    ? seen
    : { ...seen, outcome: 'malformed', detail: `${unfit.path} ${unfit.message}`.trim() };
}

const failedProbe = (detail: string, ruled: Ruled = {}): Seen => ({
  outcome: 'error',
  full: null,
  raw: null,
  detail,
  spent: NO_COST,
  blobs: [],
  ruled,
});

const FINDINGS: ReadonlyMap<Json | undefined, Reconciliation> = new Map([
  ['happened', 'happened'],
  ['did_not_happen', 'did_not_happen'],
  ['unknown', 'unknown'],
]);

interface Found {
  readonly finding: Reconciliation;
  readonly raw: Json;
}

function findingOf({ outcome, full: raw }: Seen, checkResult: ProbeRequest['checkResult']): Found {
  if (outcome === 'empty') return { finding: 'did_not_happen', raw: null };
  if (outcome !== 'ok') return { finding: 'unknown', raw };
  if (checkResult(raw).length === 0 && !isFinding(raw)) return { finding: 'happened', raw };
  if (!isJsonObject(raw)) return { finding: 'unknown', raw };
  const finding = FINDINGS.get(own(raw, 'finding')) ?? 'unknown';
  return finding === 'happened' ? { finding, raw: own(raw, 'result') ?? null } : { finding, raw };
}

/**
 * Whether an answer is an explicit finding. It is not taken for a result even if the tool's schema accepts anything.
 */
const isFinding = (raw: Json): boolean => isJsonObject(raw) && FINDINGS.has(own(raw, 'finding'));

interface Judged {
  readonly as_expected: boolean;
  readonly detail: string;
}

const judgeFailure = ({ detail, outcome }: Seen): Judged => ({
  as_expected: false,
  detail: detail === '' ? outcome : detail,
});

function judgeExpectation(
  expect: ((args: JsonObject, found: Json) => boolean) | undefined,
  args: JsonObject,
  found: Json,
): Judged {
  if (expect === undefined) return { as_expected: false, detail: 'the tool declares no expectation' };
  try {
    const as_expected = expect(args, found) === true;
    return { as_expected, detail: as_expected ? '' : 'what was found is not what was expected' };
  } catch (error) {
    return { as_expected: false, detail: `what was found could not be held against the call: ${reasonOf(error)}` };
  }
}
