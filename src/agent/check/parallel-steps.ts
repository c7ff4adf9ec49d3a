import { resolveCaps } from '../../model/budget/budget-profile.ts';
import type { Fault } from '../../model/fault/fault.ts';
import type { AmbitOptions } from '../options.ts';
import { wrong } from './values.ts';

/**
 * Rejects parallel steps that no agent of a runtime can pay: each step that runs in parallel takes a lane of the budget.
 * The agents share the limit, so one that can use it is enough.
 */
export function parallelFaults(agents: readonly AmbitOptions[]): readonly Fault[] {
  const parallel = agents[0]?.limits?.parallelSteps ?? 1;
  const lanes = Math.max(...agents.map(lanesOf));
  if (!(parallel > 1) || !(lanes < parallel)) return [];
  const message = `parallelSteps is ${parallel}, and the budget covers ${lanes} lanes, one for each parallel step: set lanesMax of budget to ${parallel} or more, or lower parallelSteps`;
  return [wrong('/limits/parallelSteps', message)];
}

/** The lanes that a budget covers. A budget that cannot be read is reported elsewhere, so it counts as enough. */
function lanesOf(options: AmbitOptions): number {
  try {
    const { profile, overrides } = options.agent.budget;
    return resolveCaps(profile, overrides).caps.lanes_max;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
