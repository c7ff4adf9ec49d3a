import { RISK_CLASSES, type RiskClass } from '../../model/risk.ts';
import type { RunCounts } from './run-counts.ts';

/** Null where there was nothing to take a share of: that is no zero, and no hundred percent either. */
type Share = number | null;

/** How a number of runs went, as shares between 0 and 1. */
export interface RunRates {
  readonly runs: number;
  /** Of the plans that were verified, those that passed. */
  readonly plan_verification_pass: Share;
  /** Of the steps that were started, those that were completed. */
  readonly step_completion: Share;
  /** Of the steps that were started, those that were tried again. */
  readonly retry: Share;
  /** Of those, the ones that were completed after all. */
  readonly recovery: Share;
  /** Of the lanes that came back, those that the Critic of their parent accepted; and beside it how often plans failed. */
  readonly lane_success: Share;
  /** Of the runs, those that were planned anew. */
  readonly replan: Share;
  readonly loop_guard_trip: Share;
  /** Of the runs of each tier, those that somebody was asked to take over. Tiers without runs are left out. */
  readonly escalation_by_risk: Readonly<Partial<Record<RiskClass, number>>>;
  /** Over the runs that ended well. */
  readonly mean_ms_to_safe_completion: number | null;
}

export function ratesOf(runs: readonly RunCounts[]): RunRates {
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
}

const share = (part: number, whole: number): Share => (whole === 0 ? null : part / whole);

function byRisk(runs: readonly RunCounts[]): RunRates['escalation_by_risk'] {
  const tiers = RISK_CLASSES.flatMap((risk) => {
    const ofTier = runs.filter((run) => run.risk === risk);
    const rate = share(ofTier.filter(({ escalated }) => escalated).length, ofTier.length);
    return rate === null ? [] : [[risk, rate] as const];
  });
  return Object.fromEntries(tiers);
}
