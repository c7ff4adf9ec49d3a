import type { RunEvent } from '../../model/event.ts';
import type { LaneNote } from '../../model/lane.ts';
import type { RiskClass } from '../../model/risk.ts';

/** What one run adds to the rates of many. */
export interface RunCounts {
  readonly run_id: string;
  readonly risk: RiskClass;
  /** It ended, and well. */
  readonly accepted: boolean;
  /** Somebody was asked to take it over. */
  readonly escalated: boolean;
  readonly duration_ms: number;
  readonly plans: { readonly verified: number; readonly passed: number };
  readonly steps: {
    readonly started: number;
    readonly completed: number;
    readonly retried: number;
    /** Completed after all. */
    readonly recovered: number;
  };
  readonly lanes: { readonly returned: number; readonly accepted: number };
  /** A plan was put in the place of one that was in force. */
  readonly replanned: boolean;
  readonly loop_guard_tripped: boolean;
}

/** What only folding the journal shows. */
export interface FoldedCounts {
  readonly risk: RiskClass;
  readonly replans: number;
  readonly loopGuardTrips: number;
  readonly lanes: readonly LaneNote[];
}

export function runCounts(runId: string, events: readonly RunEvent[], folded: FoldedCounts): RunCounts {
  const ended = events.findLast((event) => event.type === 'run_terminated');
  const verified = events.filter((event) => event.type === 'plan_verified');
  return {
    run_id: runId,
    risk: folded.risk,
    accepted: ended?.code === 'SUCCESS' || ended?.code === 'PARTIAL_SUCCESS',
    escalated: events.some(({ type }) => type === 'run_escalated'),
    duration_ms: (events.at(-1)?.at ?? 0) - (events[0]?.at ?? 0),
    plans: { verified: verified.length, passed: verified.filter(({ verdict }) => verdict === 'ok').length },
    steps: stepsIn(events),
    lanes: {
      returned: folded.lanes.length,
      accepted: folded.lanes.filter(({ ruling }) => ruling === 'accepted').length,
    },
    replanned: folded.replans > 0,
    loop_guard_tripped: folded.loopGuardTrips > 0,
  };
}

/** A step of one plan. The same id in a later plan is another step. */
interface Started {
  attempts: number;
  completed: boolean;
}

function stepsIn(events: readonly RunEvent[]): RunCounts['steps'] {
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
