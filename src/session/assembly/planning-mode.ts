import type { StandardGraphName } from '../../kernel/graph/standard-graphs.ts';
import { Fault } from '../../model/fault.ts';
import type { GraphSpec } from '../../model/graph.ts';
import type { KernelLimits } from '../../model/kernel-limits.ts';
import type { Planner } from '../../ports/planner.ts';

/** What of an agent's options says how its runs plan. */
interface Planned {
  readonly planner: Planner;
  readonly graph?: StandardGraphName | GraphSpec;
  readonly limits?: Partial<KernelLimits>;
}

/**
 * A planner that can plan in one way only brings the planning and the graph of its runs along. Whoever asks for another
 * way beside it has made a mistake, and is told so before anything runs. One that can plan in either way is asked for
 * what the graph takes.
 */
export function withPlanning<O extends Planned>(options: O): O {
  const { graph, limits = {} } = options;
  const { stepsMax, planning = planningOn(graph, limits) } = options.planner;
  if (planning === undefined) return options;
  if (limits.planning !== undefined && limits.planning !== planning) {
    throw contradiction('/limits/planning', `limits.planning is '${limits.planning}'`, planning);
  }
  const isOther = planning === 'stepwise' ? graph !== 'reactive' : graph === 'reactive';
  if (typeof graph === 'string' && isOther) throw contradiction('/graph', `graph is '${graph}'`, planning);
  const steps = stepsMax === undefined ? {} : { reactStepsMax: stepsMax };
  const led = planning === 'stepwise' && graph === undefined ? { graph: 'reactive' as const } : {};
  return { ...options, ...led, limits: { ...steps, ...limits, planning } };
}

/** The reactive graph is for one step at a time, unless the limits say otherwise. */
const planningOn = (graph: Planned['graph'], limits: Partial<KernelLimits>): 'stepwise' | undefined =>
  graph === 'reactive' && (limits.planning ?? 'stepwise') === 'stepwise' ? 'stepwise' : undefined;

function contradiction(path: string, given: string, planning: 'whole' | 'stepwise'): Fault {
  const does = planning === 'stepwise' ? 'decides one step at a time' : 'lays out the whole work at once';
  const message = `${given}, and the planner ${does}: leave it out, or take another planner`;
  return new Fault('input_invalid', message, { path });
}
