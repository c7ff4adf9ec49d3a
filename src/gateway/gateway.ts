import type { EventBody } from '../model/event.ts';
import type { Hash } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { Infrastructure } from '../ports/infrastructure.ts';
import type { OpenDesk } from '../ports/language-model.ts';
import { type Metrics, NO_METRICS } from '../ports/metrics.ts';
import type { Recall } from '../ports/recall.ts';
import type { Timer } from '../ports/timer.ts';
import type { Tools } from '../ports/tools.ts';
import type { WorkspaceFiles } from '../ports/workspace-files.ts';
import { answerFrom, keepAnswer } from './answer-from-kept.ts';
import { type Answer, beyond, callTool, type Dispatch, type HearLate } from './call-tool.ts';
import { categoryLayer } from './categories/category-layer.ts';
import { compensationFor, type MadeBefore } from './compensation.ts';
import { rateLayer } from './layers/budget.ts';
import { infrastructureLayer } from './layers/infrastructure.ts';
import type { Layer } from './layers/layer.ts';
import { permissionLayer } from './layers/permission.ts';
import { refinementLayer } from './layers/refinement.ts';
import { riskLayer } from './layers/risk.ts';
import { schemaLayer } from './layers/schema.ts';
import { type Ledger, settledBefore, wholeOf } from './ledger.ts';
import { breakerMetrics } from './limits/breaker-metrics.ts';
import { type BreakerLimits, type BreakerReading, createBreakers } from './limits/breakers.ts';
import { createCallCounts } from './limits/call-counts.ts';
import { createKeptAnswers } from './limits/kept-answers.ts';
import { createRates } from './limits/rates.ts';
import { createRunBreakers, type Tripped, type TrippedRun } from './limits/run-breakers.ts';
import { createSlots } from './limits/slots.ts';
import { type Listening, type Look, probeStep, reconcileCall } from './probes.ts';

/** The only door to tools. What it counts, it counts for all runs of this process. */
export interface Gateway {
  /** After the registry, in this order. The first that says no is the reason, and nothing is tried around it. */
  readonly layers: readonly Layer[];
  call(dispatch: Dispatch, recall: Recall, hearLate: HearLate): Promise<Answer>;
  /** What became of a call, by the read-only probe of its tool. */
  reconcile(look: Look, listening: Listening): Promise<Answer>;
  /** Whether a call did what it says, by the read-only probe of its tool. */
  verify(look: Look, result: Json, listening: Listening): Promise<Answer>;
  /** The call that takes another one back. Nothing is sent. */
  compensation(made: MadeBefore, tool: ToolSpec | undefined): EventBody;
  /** Every breaker that is not closed and quiet, for whoever watches. */
  breakers(): readonly BreakerReading[];
  /** The tools that a run has given up on, as it stands now. */
  noteTripped(run: TrippedRun, tripped: Tripped): void;
}

export interface GatewayOptions {
  readonly tools: Tools;
  readonly infrastructure: Infrastructure;
  readonly files: WorkspaceFiles;
  readonly breakers: BreakerLimits;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly hash: Hash;
  /** Without one, nothing is known of what was done before. */
  readonly ledger?: Ledger;
  /** Without one, no tool can ask a model. */
  readonly openDesk?: OpenDesk;
  readonly metrics?: Metrics;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { tools, infrastructure, files, clock, timer, hash, ledger } = options;
  const { metrics = NO_METRICS } = options;
  const breakers = createBreakers(options.breakers, breakerMetrics(metrics));
  const rates = createRates();
  const kept = createKeptAnswers();
  const ofRuns = createRunBreakers();
  const counts = createCallCounts();
  const asking = options.openDesk === undefined ? {} : { openDesk: options.openDesk };
  const street = {
    ...asking,
    metrics,
    tools,
    infrastructure,
    clock,
    timer,
    hash,
    breakers,
    rates,
    slots: createSlots(),
  };
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
    call: async (dispatch, recall, hearLate) => {
      const { call, run, callsMax } = dispatch;
      if (callsMax !== undefined && !counts.take(run.runId, call.call_id, callsMax)) return beyond(call, callsMax);
      if (dispatch.cached === true) return answerFrom(kept, dispatch, clock.nowMs());
      // Awaited in any case: no tool is called before the turn that sends the call is over.
      const known = await (ledger === undefined || !dispatch.once ? null : settledBefore(ledger, dispatch));
      const answer = known ?? (await callTool(street, dispatch, recall, hearLate));
      keepAnswer(kept, dispatch, answer, clock);
      return answer;
    },
    reconcile: async (look, listening) => {
      // As above: what became of a call is asked when the turn that asks for it is over.
      await null;
      return await reconcileCall(street, look, listening);
    },
    verify: async (look, result, listening) => probeStep(street, look, await wholeOf(ledger, result), listening),
    compensation: (made, tool) => compensationFor(tools, made, tool),
    breakers: () => [...breakers.readings(clock.nowMs()), ...ofRuns.readings(clock.nowMs())],
    noteTripped: (run, tripped) => ofRuns.note(run, tripped),
  };
}
