import type { EventBody } from '../model/events/event.ts';
import { Fault } from '../model/fault/fault.ts';
import { canonicalize } from '../model/json/canonical.ts';
import type { Hash } from '../model/json/hash.ts';
import { isJsonObject, type Json } from '../model/json/json.ts';
import { reasonOf } from '../model/json/printable.ts';
import { isStoredComplete, storedAt } from '../model/json/stored-answer.ts';
import { takeJson } from '../model/json/take-json.ts';
import type { StepInput } from '../model/tool/step-input.ts';
import { NO_COST, type ToolCall, type ToolSpec } from '../model/tool/tool.ts';
import type { Tools } from '../ports/bound-tool.ts';
import type { Cancellation } from '../ports/cancellation.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Infrastructure } from '../ports/infrastructure.ts';
import type { Journal } from '../ports/journal/journal.ts';
import { type Metrics, NO_METRICS } from '../ports/metrics.ts';
import type { OpenModelClient } from '../ports/model/language-model.ts';
import type { WorkspaceFiles } from '../ports/workspace-files.ts';
import { categoryLayer } from './categories/category-layer.ts';
import { callTool, type Dispatch, type OnLateAnswer } from './dispatch/call-tool.ts';
import { type ProbeListeners, type ProbeRequest, probeStep, reconcileCall } from './dispatch/probes.ts';
import { refuseBeyondCap, type ToolAnswer, unsent } from './dispatch/tool-answer.ts';
import { infrastructureLayer } from './layers/infrastructure.ts';
import type { Layer } from './layers/layer.ts';
import { permissionLayer } from './layers/permission.ts';
import { rateLayer } from './layers/rate.ts';
import { refinementLayer } from './layers/refinement.ts';
import { riskLayer } from './layers/risk.ts';
import { schemaLayer } from './layers/schema.ts';
import { type AnswerCache, type AnswerKey, createAnswerCache } from './limits/answer-cache.ts';
import {
  type BreakerChanged,
  type BreakerLimits,
  type BreakerReading,
  type BreakerState,
  createBreakers,
  createRunBreakers,
  type TrippedBreakers,
  type TrippedRun,
} from './limits/breakers.ts';
import { createRates } from './limits/rates.ts';
import { createSlots } from './limits/slots.ts';
import { argumentsByName } from './tool/probing.ts';

/** The only component that calls tools. Its counters cover all runs of this process. */
export interface Gateway {
  /** The checks after the registry lookup, in this order. The first refusal is the reason; later layers do not run. */
  readonly layers: readonly Layer[];
  call(dispatch: Dispatch, recall: Cancellation, onLateAnswer: OnLateAnswer): Promise<ToolAnswer>;
  /** Asks the read-only probe of the tool whether a call happened. */
  reconcile(look: ProbeRequest, listening: ProbeListeners): Promise<ToolAnswer>;
  /** Asks the read-only probe of the tool whether a call did what it reports. */
  verify(look: ProbeRequest, result: Json, listening: ProbeListeners): Promise<ToolAnswer>;
  /** Builds the call that compensates another one. Sends nothing. */
  compensation(made: MadeBefore, tool: ToolSpec | undefined): EventBody;
  /** Every breaker that is open, half open or has counted a failure, for monitoring. */
  breakers(): readonly BreakerReading[];
  /** Replaces the list of tools that a run has given up on. */
  noteTripped(run: TrippedRun, tripped: TrippedBreakers): void;
}

interface GatewayOptions {
  readonly tools: Tools;
  readonly infrastructure: Infrastructure;
  readonly files: WorkspaceFiles;
  readonly breakers: BreakerLimits;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly hash: Hash;
  /** Without a ledger, settled calls are not recognized. */
  readonly ledger?: Ledger;
  /** Without it, tools cannot call models. */
  readonly openModelClient?: OpenModelClient;
  readonly metrics?: Metrics;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { tools, infrastructure, files, clock, ledger, metrics = NO_METRICS } = options;
  const breakers = createBreakers(options.breakers, breakerMetrics(metrics));
  const rates = createRates();
  const kept = createAnswerCache();
  const ofRuns = createRunBreakers();
  const counts = createCallCounts();
  const deps = { ...options, metrics, breakers, rates, slots: createSlots() };
  return {
    layers: [
      schemaLayer,
      refinementLayer(tools),
      permissionLayer,
      rateLayer(rates),
      categoryLayer(files),
      riskLayer,
      infrastructureLayer(infrastructure, breakers, kept),
    ],
    call: async (dispatch, recall, onLateAnswer) => {
      const { call, run, callsMax } = dispatch;
      if (callsMax !== undefined && !counts.take(run.runId, callsMax)) return refuseBeyondCap(call, callsMax);
      if (dispatch.cached === true) return answerFromCache(kept, dispatch, clock.nowMs());
      // Always awaited, so that no tool code runs before the turn that dispatches the call has ended.
      const known = await (ledger === undefined || !dispatch.once ? null : answerFromLedger(ledger, dispatch));
      const answer =
        known ?? (await sendComplete(ledger, dispatch, (full) => callTool(deps, full, recall, onLateAnswer)));
      keepAnswer(kept, dispatch, answer, clock);
      return answer;
    },
    reconcile: async (look, listening) => {
      // As above: no probe runs before the turn that dispatches it has ended.
      await null;
      return await reconcileCall(deps, look, listening);
    },
    verify: async (look, result, listening) =>
      probeStep(deps, look, await loadFull(ledger, result, look.run.runId), listening),
    compensation: (made, tool) => compensationFor(tools, made, tool),
    breakers: () => [...breakers.readings(clock.nowMs()), ...ofRuns.readings(clock.nowMs())],
    noteTripped: (run, tripped) => ofRuns.note(run, tripped),
  };
}

const LEVELS: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

/** Reports the state of each breaker and counts its changes. */
const breakerMetrics =
  (metrics: Metrics): BreakerChanged =>
  (tool, tenant, state) => {
    metrics.gauge('ambit_breaker_state', { tenant, tool }, LEVELS[state]);
    metrics.count('ambit_breaker_changes_total', { tenant, tool, state }, 1);
  };

/** Counts the calls of each run in this process, as a second bound in case the run's own count fails. */
interface CallCounts {
  /** Whether one more call of this run stays within its cap. A call that is sent again counts again. */
  take(runId: string, most: number): boolean;
}

/** The number of runs that are counted at once. The run that called longest ago is dropped first. */
const RUNS_MAX = 10_000;

function createCallCounts(): CallCounts {
  const runs = new Map<string, number>();
  return {
    take: (runId, most) => {
      const count = (runs.get(runId) ?? 0) + 1;
      if (count > most) return false;
      runs.delete(runId);
      runs.set(runId, count);
      if (runs.size > RUNS_MAX) runs.delete(runs.keys().next().value ?? '');
      return true;
    },
  };
}

type Settling = Pick<Dispatch, 'call' | 'run' | 'ruleOn'>;

/** The effects of each run by idempotency key, and their results. */
export type Ledger = Pick<Journal, 'effect' | 'blob'>;

/**
 * Returns the recorded answer of a call whose idempotency key is already settled in this run, so that the tool is not
 * called twice. Returns null if the key is not settled, and a failure if the ledger cannot be read.
 */
export async function answerFromLedger(ledger: Ledger, { call, run, ruleOn }: Settling): Promise<ToolAnswer | null> {
  const { call_id, idempotency_key } = call;
  const observed = { type: 'step_observed', call_id, spent: NO_COST } as const;
  try {
    const row = await ledger.effect(run.runId, idempotency_key);
    if (row === null || row.state !== 'settled' || row.result === null) return null;
    const raw = JSON.parse(await ledger.blob(row.result, run.runId)) as Json;
    const detail = 'settled before under this key; the tool was not called again';
    const ruled =
      ruleOn === undefined || storedAt(raw) === null
        ? {}
        : { stored: ruleOn(await loadFull(ledger, raw, run.runId), raw) };
    return { event: { ...observed, outcome: 'ok', raw, detail, ...ruled }, blobs: [] };
  } catch (error) {
    const detail = `not sent: whether it was done before cannot be found out: ${reasonOf(error)}`;
    return { event: { ...observed, outcome: 'error', raw: null, detail }, blobs: [] };
  }
}

/** Loads the complete result if the journal holds only its blob address. */
async function loadFull(ledger: Ledger | undefined, result: Json, runId: string): Promise<Json> {
  const address = storedAt(result);
  if (address === null || ledger === undefined) return result;
  return JSON.parse(await ledger.blob(address as `sha256:${string}`, runId)) as Json;
}

/** Sends a call with its complete inputs in place of references to them. */
async function sendComplete(
  ledger: Ledger | undefined,
  dispatch: Dispatch,
  send: (dispatch: Dispatch) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const { call, inputs } = dispatch;
  if (inputs === undefined || !inputs.some(({ value }) => isStoredComplete(value))) return await send(dispatch);
  let complete: readonly StepInput[];
  try {
    complete = await Promise.all(inputs.map((input) => loadInput(ledger, input, dispatch.run.runId)));
  } catch (error) {
    return unsent(call, 'error', `not sent: an input cannot be read: ${reasonOf(error)}`);
  }
  return await send({ ...dispatch, inputs: complete });
}

const loadInput = async (ledger: Ledger | undefined, input: StepInput, runId: string): Promise<StepInput> =>
  isStoredComplete(input.value) ? { ...input, value: await loadFull(ledger, input.value, runId) } : input;

const cacheKey = ({ call, run }: Dispatch): AnswerKey => ({
  tenantId: run.tenantId,
  actor: run.actor,
  tool: call.tool,
  argsHash: call.args_hash,
});

/** Caches a good inline answer. An answer in a blob, or one that does not fit the output schema, is not cached. */
function keepAnswer(kept: AnswerCache, dispatch: Dispatch, { event, blobs }: ToolAnswer, clock: Clock): void {
  const { keep, call, run } = dispatch;
  if (keep === undefined || event.type !== 'step_observed' || event.outcome !== 'ok' || blobs.length > 0) return;
  const { raw } = event;
  if (!keep.fits(raw)) return;
  const now = clock.nowMs();
  const from = { run_id: run.runId, call_id: call.call_id, trusted: keep.trusted };
  kept.set(cacheKey(dispatch), { ...from, raw, at: now, until: now + keep.forMs, size: canonicalize(raw).length });
}

/** Builds an observation from a cached answer and marks it as cached. Sends nothing. */
function answerFromCache(kept: AnswerCache, dispatch: Dispatch, now: number): ToolAnswer {
  const { call } = dispatch;
  const observed = { type: 'step_observed', call_id: call.call_id, spent: NO_COST } as const;
  const found = kept.get(cacheKey(dispatch), now);
  if (found === null) {
    const detail = `${call.tool} is not there, and no answer of it is kept that is young enough`;
    return { event: { ...observed, outcome: 'error', raw: null, detail }, blobs: [] };
  }
  const { run_id, call_id, trusted, raw, at } = found;
  const cached = { run_id, call_id, trusted, age_ms: Math.max(0, now - at) };
  const detail = `${call.tool} is not there: this is what it answered ${cached.age_ms} ms ago to ${call_id} of ${run_id}`;
  return { event: { ...observed, outcome: 'ok', raw, detail, cached }, blobs: [] };
}

/** A call that had an effect, its result, and the name of the tool that compensates it. */
interface MadeBefore {
  readonly call: ToolCall;
  readonly result: Json;
  readonly tool: string;
}

/** Builds the arguments of a compensation. Sends nothing; if the tool's code throws, no compensation is proposed. */
export function compensationFor(
  tools: Tools,
  { call, result, tool }: MadeBefore,
  spec: ToolSpec | undefined,
): EventBody {
  const about = { type: 'compensation_proposed', call_id: call.call_id, tool } as const;
  if (spec === undefined) return { ...about, args: null, detail: `there is no tool ${tool}` };
  const made = {
    args: call.args,
    idempotencyKey: call.idempotency_key,
    get result(): Json {
      // The preview is not the result, so a compensation must not be built from it.
      if (storedAt(result) === null) return result;
      throw new Fault(
        'binding_unresolved',
        `the answer of ${call.tool} is too large for the journal, and kept beside it`,
      );
    },
  };
  try {
    const described = tools.probing?.(call.tool)?.compensate?.args;
    const args = takeJson(described === undefined ? argumentsByName(spec.input_schema, made) : described(made));
    if (isJsonObject(args)) return { ...about, args, detail: '' };
    return { ...about, args: null, detail: `what ${tool} is to be given is no object` };
  } catch (error) {
    return { ...about, args: null, detail: `what ${tool} is to be given could not be made out: ${reasonOf(error)}` };
  }
}
