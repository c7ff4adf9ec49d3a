import type { Reconciliation } from '../model/event.ts';
import { address } from '../model/hash.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';
import { reasonOf } from '../model/printable.ts';
import type { Problem } from '../model/problem.ts';
import { NO_COST, type ToolCall, type ToolCost, type ToolOutcome, type ToolSpec } from '../model/tool.ts';
import type { MadeCall } from '../ports/bound-tool.ts';
import type { Caller } from '../ports/tools.ts';
import { type Answer, callTool, type Street } from './call-tool.ts';
import { argumentsByName } from './tool/probing.ts';

/** A call that somebody is to look at, and the read-only tool that looks. */
export interface Look {
  readonly call: ToolCall;
  readonly probeName: string;
  readonly probe: ToolSpec | undefined;
  readonly run: Caller;
  readonly notBefore: number;
  /** What the schemas of the probe say about its arguments and its answer. */
  readonly checkArguments: (args: JsonObject) => readonly Problem[];
  readonly checkAnswer: (answer: Json) => readonly Problem[];
  /** What the schema of the tool that was called says about a result. */
  readonly checkResult: (result: Json) => readonly Problem[];
}

interface Seen {
  readonly outcome: ToolOutcome;
  readonly raw: Json;
  readonly detail: string;
  readonly spent: ToolCost;
  readonly blobs: Answer['blobs'];
}

/**
 * Finds out what became of a call. A probe that answers in the shape of the tool has found what it did; one that
 * answers with nothing has found that there is nothing; one that says `{ finding, result }` says it in so many words.
 * Whatever else comes back leaves it unknown.
 */
export async function reconcileCall(street: Street, look: Look, recall: AbortSignal): Promise<Answer> {
  const { call } = look;
  const args = street.tools.probing?.(call.tool)?.reconcile?.args;
  const seen = await send(street, look, { args, result: null, purpose: 'reconcile' }, recall);
  const { finding, raw } = findingOf(seen, look.checkResult);
  const { detail, spent, blobs } = seen;
  const about = { call_id: call.call_id, probe: look.probeName };
  return { event: { type: 'call_reconciled', ...about, finding, raw, detail, spent }, blobs };
}

/** Has somebody else look whether a tool did what it says. Only a clear yes is one. */
export async function probeStep(street: Street, look: Look, result: Json, recall: AbortSignal): Promise<Answer> {
  const { call } = look;
  const verify = street.tools.probing?.(call.tool)?.verify;
  const seen = await send(street, look, { args: verify?.args, result, purpose: 'verify' }, recall);
  const judged = seen.outcome === 'ok' ? asExpected(verify?.expect, call.args, seen.raw) : said(seen);
  const { raw, spent, blobs } = seen;
  const about = { call_id: call.call_id, probe: look.probeName };
  return { event: { type: 'step_probed', ...about, ...judged, raw, spent }, blobs };
}

interface Question {
  readonly args: ((call: MadeCall) => JsonObject) | undefined;
  readonly result: Json;
  readonly purpose: 'reconcile' | 'verify';
}

async function send(
  street: Street,
  look: Look,
  { args, result, purpose }: Question,
  recall: AbortSignal,
): Promise<Seen> {
  const { call, probe, run, notBefore } = look;
  // Nobody is asked before a probe is called, so one that could do more than look is not called at all.
  if (probe === undefined || probe.side_effect || probe.approval_mode !== 'read_only') {
    return unseen('there is no read-only probe of that name');
  }
  const made = { args: call.args, idempotencyKey: call.idempotency_key, result };
  let asked: JsonObject;
  try {
    asked = args === undefined ? argumentsByName(probe.input_schema, made) : args(made);
  } catch (error) {
    return unseen(`what to ask ${probe.name} could not be made out: ${reasonOf(error)}`);
  }
  const [problem] = look.checkArguments(asked);
  if (problem !== undefined) return unseen(`${probe.name} cannot be asked that: ${problem.path} ${problem.message}`);
  const { event, blobs } = await callTool(
    street,
    {
      call: {
        call_id: `${call.call_id}:${purpose}`,
        step_id: call.step_id,
        tool: probe.name,
        args: asked,
        args_hash: address(street.hash, asked),
        idempotency_key: street.hash(`${call.idempotency_key}\n${purpose}`),
        attempt: 1,
      },
      limits: probe.limits,
      behind: [],
      run,
      timeoutMs: probe.timeout_ms,
      notBefore,
      dispatchBefore: Math.max(notBefore, street.clock.nowMs()) + probe.timeout_ms,
    },
    recall,
    () => undefined,
  );
  if (event.type !== 'step_observed') return unseen('the probe was not answered');
  const { outcome, raw, detail = '', spent } = event;
  const [unfit] = outcome === 'ok' ? look.checkAnswer(raw) : [];
  if (unfit === undefined) return { outcome, raw, detail, spent, blobs };
  return { outcome: 'malformed', raw, detail: `${unfit.path} ${unfit.message}`.trim(), spent, blobs };
}

const unseen = (detail: string): Seen => ({ outcome: 'error', raw: null, detail, spent: NO_COST, blobs: [] });

const WORDS: ReadonlyMap<Json | undefined, Reconciliation> = new Map([
  ['happened', 'happened'],
  ['did_not_happen', 'did_not_happen'],
  ['unknown', 'unknown'],
]);

interface Found {
  readonly finding: Reconciliation;
  readonly raw: Json;
}

function findingOf({ outcome, raw }: Seen, checkResult: Look['checkResult']): Found {
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
