import type { PlanVerdict } from '../critic/verdict.ts';
import type { Stop } from '../fault/terminal-code.ts';
import type { Problem } from '../json/problem.ts';
import type { DryRun } from './dry-run.ts';
import type { Plan } from './plan.ts';

/** The verification of a plan without a run. A run with this plan gets the same verdict and problems. */
export interface PlanReport {
  readonly verdict: PlanVerdict;
  /** All problems, each with its code and its place in the plan. */
  readonly problems: readonly Problem[];
  /** Names of the checks that ran. */
  readonly checks: readonly string[];
  /** The projected cost, by budget counter. */
  readonly projected: Readonly<Record<string, number>>;
  /** The plan as it would run; null unless the verdict is `ok`. */
  readonly plan: Plan | null;
  /** The code and the reason with which a run would end or be handed over to a person; null if it would go on. */
  readonly handover: Pick<Stop, 'code' | 'reason'> | null;
}

/** The calls that a plan would make, with its verification. A plan that is not `ok` makes no calls. */
export interface PlanPreview extends DryRun, PlanReport {}
