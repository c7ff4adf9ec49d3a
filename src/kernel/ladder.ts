import { Fault } from '../model/fault.ts';
import type { Environment } from '../model/manifest.ts';
import { leastRank, type Shortfall, shortfalls } from './least-autonomy.ts';
import { TASK_NEEDS, type TaskNeed, TIERS, type Tier } from './tiers.ts';

export interface TaskProfile {
  readonly needs: readonly TaskNeed[];
  readonly environment: Environment;
  /** A tier somebody insists on, with a reason against each lower tier that would do. */
  readonly requested?: { readonly rank: number; readonly reasons: readonly Shortfall[] };
}

export interface TierChoice {
  readonly tier: Tier;
  /** Why not a lower one: an entry for each, lowest first. */
  readonly insufficient: readonly Shortfall[];
}

const OPEN_ENDED_RANK = 7;

export function tierOf(rank: number): Tier {
  const tier = TIERS.find((candidate) => candidate.rank === rank);
  if (tier === undefined)
    throw new Fault('tier_unknown', `there is no tier ${rank}; tiers go from 1 to ${TIERS.length}`);
  return tier;
}

/** The lowest tier that can do the task, or the one asked for if the reasons against every lower one are given. */
export function chooseTier(task: TaskProfile): TierChoice {
  const least = leastRank(TASK_NEEDS, task.needs);
  const lacking = shortfalls(TASK_NEEDS, task.needs, least);
  const { rank, reasons } = task.requested ?? { rank: least, reasons: [] };
  const tier = tierOf(rank);
  if (rank < least) {
    const why = lacking.find((shortfall) => shortfall.rank === rank)?.why ?? '';
    throw new Fault(
      'tier_not_allowed',
      `tier ${rank} (${tier.name}) is not enough for this task: ${why}; take tier ${least}, or leave out of needs what it can do without`,
    );
  }
  const insufficient = [...lacking, ...givenReasons(least, rank, reasons)];
  if (rank === OPEN_ENDED_RANK && task.environment !== 'sandbox') {
    throw new Fault(
      'tier_not_allowed',
      `tier ${rank} (${tier.name}) runs only in a sandbox, not in ${task.environment}`,
    );
  }
  return { tier, insufficient };
}

/** Tiers from `least` up to the one asked for could do the task; somebody must say why they may not. */
function givenReasons(least: number, rank: number, reasons: readonly Shortfall[]): readonly Shortfall[] {
  const given: Shortfall[] = [];
  const unexplained: number[] = [];
  for (let lower = least; lower < rank; lower += 1) {
    const reason = reasons.find((candidate) => candidate.rank === lower && candidate.why.trim() !== '');
    if (reason === undefined) unexplained.push(lower);
    else given.push({ rank: lower, why: reason.why });
  }
  if (unexplained.length === 0) return given;
  throw new Fault(
    'tier_unjustified',
    `tier ${rank} needs a reason why tier ${unexplained.join(', ')} would not do; tier ${least} can do the task`,
  );
}
