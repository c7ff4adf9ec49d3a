import type { RunEvent } from '../../model/events/event.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import { isSuccess } from '../../model/fault/terminal-code.ts';
import { RISK_CLASSES, type RiskClass } from '../../model/policy/risk.ts';
import type { LaneNote } from '../../model/run/lane.ts';

/** One run's contribution to the rates. */
export interface RunCounts {
  readonly run_id: string;
  readonly risk: RiskClass;
  /** The run ended with full or partial success. */
  readonly accepted: boolean;
  /** The run was escalated to a person. */
  readonly escalated: boolean;
  readonly duration_ms: number;
  readonly plans: { readonly verified: number; readonly passed: number };
  readonly steps: {
    readonly started: number;
    readonly completed: number;
    readonly retried: number;
    /** Retried steps that were completed. */
    readonly recovered: number;
  };
  readonly lanes: { readonly returned: number; readonly accepted: number };
  /** A plan replaced one that was in force. */
  readonly replanned: boolean;
  readonly loop_guard_tripped: boolean;
}

/** Counts that need the folded state. */
interface FoldedCounts {
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
    accepted: ended !== undefined && isSuccess(ended.code),
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

/** Null if the denominator is zero. */
type Share = number | null;

/** Rates over a number of runs, as shares between 0 and 1. */
export interface RunRates {
  readonly runs: number;
  /** Share of verified plans that passed. */
  readonly plan_verification_pass: Share;
  /** Share of started steps that were completed. */
  readonly step_completion: Share;
  /** Share of started steps that were retried. */
  readonly retry: Share;
  /** Share of retried steps that were completed. */
  readonly recovery: Share;
  /** Share of returned lanes that their parent's Critic accepted. */
  readonly lane_success: Share;
  /** Share of runs that were replanned. */
  readonly replan: Share;
  readonly loop_guard_trip: Share;
  /** Share of runs of each risk class that were escalated. Classes without runs are left out. */
  readonly escalation_by_risk: Readonly<Partial<Record<RiskClass, number>>>;
  /** Mean over the runs that ended with full or partial success. */
  readonly mean_ms_to_safe_completion: number | null;
}

export const ratesOf: (runs: readonly RunCounts[]) => RunRates = guardInput(
  'ratesOf',
  (runs: readonly RunCounts[]): RunRates => {
    const sum = (count: (run: RunCounts) => number): number => runs.reduce((total, run) => total + count(run), 0);
    const shareOfRuns = (holds: (run: RunCounts) => boolean): Share => share(runs.filter(holds).length, runs.length);
    const started = sum(({ steps }) => steps.started);
    const retried = sum(({ steps }) => steps.retried);
    const accepted = runs.filter((run) => run.accepted);
    return {
      runs: runs.length,
      plan_verification_pass: share(
        sum(({ plans }) => plans.passed),
        sum(({ plans }) => plans.verified),
      ),
      step_completion: share(
        sum(({ steps }) => steps.completed),
        started,
      ),
      retry: share(retried, started),
      recovery: share(
        sum(({ steps }) => steps.recovered),
        retried,
      ),
      lane_success: share(
        sum(({ lanes }) => lanes.accepted),
        sum(({ lanes }) => lanes.returned),
      ),
      replan: shareOfRuns(({ replanned }) => replanned),
      loop_guard_trip: shareOfRuns(({ loop_guard_tripped }) => loop_guard_tripped),
      escalation_by_risk: byRisk(runs),
      mean_ms_to_safe_completion: share(
        accepted.reduce((total, { duration_ms }) => total + duration_ms, 0),
        accepted.length,
      ),
    };
  },
);

const share = (part: number, total: number): Share => (total === 0 ? null : part / total);

function byRisk(runs: readonly RunCounts[]): RunRates['escalation_by_risk'] {
  const tiers = RISK_CLASSES.flatMap((risk) => {
    const ofTier = runs.filter((run) => run.risk === risk);
    const rate = share(ofTier.filter(({ escalated }) => escalated).length, ofTier.length);
    return rate === null ? [] : [[risk, rate] as const];
  });
  return Object.fromEntries(tiers);
}
