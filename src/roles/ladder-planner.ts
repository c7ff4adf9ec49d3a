import { Fault } from '../model/fault.ts';
import { dearerCost, NO_COST } from '../model/tool.ts';
import type { Planner } from '../ports/planner.ts';
import { type PlanTemplates, templatePlanner } from './template-planner.ts';

/** How an agent plans on each rung of the autonomy ladder. */
export interface LadderPlanners {
  /** Plans that the host has written, for the rungs on which no model chooses the path. */
  readonly written: PlanTemplates;
  /** Lays out the whole work, such as `planFirst`. */
  readonly whole: Planner;
  /** Decides one step at a time, such as `reactive`. */
  readonly stepwise: Planner;
}

/**
 * One agent for every rung: whoever runs it chooses the graph, and with it how much is left to a model. Moving an agent
 * down a rung, because a lower one turned out to do, changes nothing else about it.
 */
export function ladderPlanner(planners: LadderPlanners): Planner {
  assertPlanners(planners);
  const { written, whole, stepwise } = planners;
  const host = templatePlanner(written);
  const { stepsMax } = stepwise;
  return {
    written,
    cost: dearerCost(whole.cost ?? NO_COST, stepwise.cost ?? NO_COST),
    tools: [...new Set([...(whole.tools ?? []), ...(stepwise.tools ?? [])])],
    uses: [...(whole.uses ?? []), ...(stepwise.uses ?? [])],
    ...(stepsMax === undefined ? {} : { stepsMax }),
    propose: (request, signal, desk, check, pad) => {
      const chosen = request.from === 'host' ? host : request.mode === 'stepwise' ? stepwise : whole;
      return chosen.propose(request, signal, desk, check, pad);
    },
  };
}

function assertPlanners({ whole, stepwise }: LadderPlanners): void {
  for (const [name, planner, such] of [
    ['whole', whole, 'planFirst({ model })'],
    ['stepwise', stepwise, 'reactive({ model })'],
  ] as const) {
    if (typeof planner?.propose === 'function') continue;
    throw new Fault('input_missing', `ladderPlanner: ${name} is a planner, such as ${such}`, { path: `/${name}` });
  }
}
