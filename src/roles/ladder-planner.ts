import { Fault } from '../model/fault/fault.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import { higherCost, NO_COST } from '../model/tool/tool.ts';
import type { Planner } from '../ports/model/planner.ts';
import { type PlanTemplates, templatePlanner } from './template-planner.ts';

/** The planners for the rungs of the autonomy ladder. */
export interface LadderPlanners {
  /** Plans written by the host, for the rungs on which no model chooses the path. */
  readonly written: PlanTemplates;
  /** Plans the complete task, e.g. `planFirst`. */
  readonly complete: Planner;
  /** Decides one step at a time, e.g. `reactive`. */
  readonly stepwise: Planner;
}

/** Creates one planner for every rung. The run's graph selects the planner; nothing else about the agent changes. */
export const ladderPlanner: (planners: LadderPlanners) => Planner = guardInput(
  'ladderPlanner',
  (planners: LadderPlanners): Planner => {
    assertPlanners(planners);
    const { written, complete, stepwise } = planners;
    const host = templatePlanner(written);
    const { stepsMax } = stepwise;
    return {
      written,
      cost: higherCost(complete.cost ?? NO_COST, stepwise.cost ?? NO_COST),
      tools: [...new Set([...(complete.tools ?? []), ...(stepwise.tools ?? [])])],
      uses: [...(complete.uses ?? []), ...(stepwise.uses ?? [])],
      ...(stepsMax === undefined ? {} : { stepsMax }),
      propose: (request, signal, client, check, pad) => {
        const chosen = request.from === 'host' ? host : request.mode === 'stepwise' ? stepwise : complete;
        return chosen.propose(request, signal, client, check, pad);
      },
    };
  },
);

function assertPlanners({ complete, stepwise }: LadderPlanners): void {
  for (const [name, planner, such] of [
    ['complete', complete, 'planFirst({ model })'],
    ['stepwise', stepwise, 'reactive({ model })'],
  ] as const) {
    if (typeof planner?.propose === 'function') continue;
    throw new Fault('input_missing', `ladderPlanner: ${name} is a planner, such as ${such}`, { path: `/${name}` });
  }
}
