import type { EventOf, EventType, RunEvent } from '../model/events/event.ts';
import { isSuccess, type TerminalCode } from '../model/fault/terminal-code.ts';
import type { RiskClass } from '../model/policy/risk.ts';

/** Raised when the facts of a run change their meaning, so that stored facts are collected again. */
export const FACTS_VERSION = 1;

/** `fork`: the run repeats another one and may simulate its calls. `import`: it was made in another store. */
export type FactsOrigin = 'run' | 'fork' | 'import';

/** The numbers that one ended run contributes to the metrics. They are derived from its journal alone. */
export interface RunFacts {
  readonly run_id: string;
  /** Reports count only the runs that were made here. */
  readonly origin: FactsOrigin;
  readonly tenant: string;
  readonly agent: string;
  readonly intent: string;
  readonly risk: RiskClass;
  readonly thread: string | null;
  /** Depth below the root run: 0 for a run that was started, 1 or 2 for the run of a lane. */
  readonly depth: number;
  /** The run that opened the lane; null for a run that was started. */
  readonly parent: string | null;
  readonly started_at: number;
  readonly ended_at: number;
  readonly code: TerminalCode;
  /** The run ended with full or partial success. */
  readonly accepted: boolean;
  /** The run was handed over to a person. */
  readonly escalated: boolean;
  readonly plans: { readonly verified: number; readonly passed: number };
  /** A plan replaced one that was in force. */
  readonly replanned: boolean;
  readonly steps: StepFacts;
  /** Action cycles that the step budget counted, those of lanes included. */
  readonly cycles: number;
  readonly calls: SentCalls;
  readonly lanes: { readonly returned: number; readonly accepted: number };
  readonly loop_guard_tripped: boolean;
  /** Moves on the workflow graph. `illegal` describes each move that has no edge, or skipped its guard. */
  readonly moves: { readonly total: number; readonly illegal: readonly string[] };
  /** Budget dimensions whose use exceeds their cap. */
  readonly over_cap: readonly string[];
  readonly cost_usd: number;
  /** Committed results. `unverified` lists those without a passed check by the validator that they name. */
  readonly updates: { readonly total: number; readonly unverified: readonly string[] };
  /** Entries in long-term memory. `unsupported` lists those without a promotion with sources. */
  readonly memory: { readonly written: number; readonly unsupported: readonly string[] };
  /** Decisions of people at gates. An override is a decision other than to approve what was shown. */
  readonly decisions: { readonly total: number; readonly overrides: number };
  /** Fields of the trace that the run lacks. */
  readonly trace_missing: readonly string[];
}

/** Steps of plans. The same id in a later plan is another step. */
export interface StepFacts {
  readonly started: number;
  readonly completed: number;
  readonly retried: number;
  /** Retried steps that were completed. */
  readonly recovered: number;
}

/** Calls that the gateway sent. A call that it refused before sending is not counted. */
export interface SentCalls {
  readonly dispatched: number;
  readonly failed: number;
  /** Calls that repeat an earlier attempt. */
  readonly retries: number;
}

/** Facts that need the folded state or the row of the run. */
export type FoldedFacts = Pick<
  RunFacts,
  | 'origin'
  | 'tenant'
  | 'agent'
  | 'intent'
  | 'risk'
  | 'cycles'
  | 'lanes'
  | 'moves'
  | 'over_cap'
  | 'cost_usd'
  | 'trace_missing'
> & { readonly replans: number; readonly loop_guard_trips: number };

/** Collects the facts of a run. Returns null for a run that has not ended. */
export function collectFacts(runId: string, events: readonly RunEvent[], folded: FoldedFacts): RunFacts | null {
  const arrived = firstOf(events, 'goal_received');
  const ended = events.findLast((event) => event.type === 'run_terminated');
  if (arrived === undefined || ended === undefined) return null;
  const { replans, loop_guard_trips, ...rest } = folded;
  const verified = allOf(events, 'plan_verified');
  return {
    run_id: runId,
    ...rest,
    thread: arrived.thread ?? null,
    depth: arrived.lane?.depth ?? 0,
    parent: arrived.lane?.parent_run_id ?? null,
    started_at: events[0]?.at ?? ended.at,
    ended_at: ended.at,
    code: ended.code,
    accepted: isSuccess(ended.code),
    escalated: events.some(({ type }) => type === 'run_escalated'),
    plans: { verified: verified.length, passed: verified.filter(({ verdict }) => verdict === 'ok').length },
    replanned: replans > 0,
    steps: stepsIn(events),
    calls: callsIn(events),
    loop_guard_tripped: loop_guard_trips > 0,
    updates: updatesIn(events),
    memory: memoryIn(events),
    decisions: decisionsIn(events),
  };
}

/** A step of one plan. */
interface Started {
  attempts: number;
  completed: boolean;
}

function stepsIn(events: readonly RunEvent[]): StepFacts {
  const byCall = new Map<string, Started>();
  const all: Started[] = [];
  let ofPlan = new Map<string, Started>();
  for (const event of events) {
    if (event.type === 'plan_verified' && event.verdict === 'ok') ofPlan = new Map();
    if (event.type === 'step_attempted') {
      const step = ofPlan.get(event.step_id) ?? { attempts: 0, completed: false };
      if (step.attempts === 0) all.push(step);
      step.attempts += 1;
      ofPlan.set(event.step_id, step);
      byCall.set(event.call_id, step);
    }
    const committed = event.type === 'step_committed' ? byCall.get(event.call_id) : undefined;
    if (committed !== undefined) committed.completed = true;
  }
  const retried = all.filter(({ attempts }) => attempts > 1);
  return {
    started: all.length,
    completed: all.filter(({ completed }) => completed).length,
    retried: retried.length,
    recovered: retried.filter(({ completed }) => completed).length,
  };
}

function callsIn(events: readonly RunEvent[]): SentCalls {
  const observed = allOf(events, 'step_observed');
  // The tool itself refused such a call, so it was sent.
  const unsent = new Set(observed.filter((each) => each.unsent && !each.refused).map(({ call_id }) => call_id));
  const failed = observed.filter(({ call_id, outcome }) => outcome !== 'ok' && !unsent.has(call_id));
  const sent = allOf(events, 'step_attempted').filter(({ call_id }) => !unsent.has(call_id));
  return {
    dispatched: sent.length,
    failed: new Set(failed.map(({ call_id }) => call_id)).size,
    retries: sent.filter(({ attempt }) => attempt > 1).length,
  };
}

function updatesIn(events: readonly RunEvent[]): RunFacts['updates'] {
  const passed = new Set<string>();
  const unverified: string[] = [];
  let total = 0;
  for (const event of events) {
    if (event.type === 'step_verified' && event.ok) passed.add(`${event.call_id} ${event.validator}`);
    if (event.type !== 'step_committed') continue;
    total += 1;
    if (!passed.has(`${event.call_id} ${event.validator}`)) unverified.push(event.evidence_id);
  }
  return { total, unverified };
}

function memoryIn(events: readonly RunEvent[]): RunFacts['memory'] {
  const supported = new Set<string>();
  const written: string[] = [];
  for (const event of events) {
    if (event.type === 'memory_ruled') {
      for (const { promoted } of event.rulings) {
        if (promoted !== null && promoted.source_links.length > 0) supported.add(promoted.entry_id);
      }
    }
    if (event.type === 'memory_written') written.push(...event.written);
  }
  return { written: written.length, unsupported: written.filter((id) => !supported.has(id)) };
}

/** Requests for more information leave the gate open, so they decide nothing. */
function decisionsIn(events: readonly RunEvent[]): RunFacts['decisions'] {
  const made = allOf(events, 'gate_decided').filter(({ decision }) => decision !== 'request_info');
  return { total: made.length, overrides: made.filter(({ decision }) => decision !== 'approve').length };
}

const allOf = <T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] =>
  events.filter((event) => event.type === type) as unknown as readonly EventOf<T>[];

const firstOf = <T extends EventType>(events: readonly RunEvent[], type: T): EventOf<T> | undefined =>
  allOf(events, type)[0];
