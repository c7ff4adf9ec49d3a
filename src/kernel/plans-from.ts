import type { PlanAuthor } from '../model/events/plan-events.ts';
import type { KernelEnv } from './env.ts';
import type { GuardName } from './graph/guard-names.ts';

const HOST_ONLY: GuardName = 'plan_from_host@1';

/** Whose plans the graph lets through to validation. */
export function plansFrom({ graph }: Pick<KernelEnv, 'graph'>): PlanAuthor {
  const [from, to] = [graph.idOf('plan'), graph.idOf('plan_validation')];
  const ways = graph.spec.edges.filter((edge) => edge.from === from && edge.to === to);
  return ways.length > 0 && ways.every(({ guard }) => guard === HOST_ONLY) ? 'host' : 'model';
}
