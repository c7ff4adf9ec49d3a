import type { KernelEnv } from '../kernel/env.ts';
import type { EscalationTrace } from '../model/trace.ts';
import type { Move } from './walk-run.ts';

/**
 * The first move that could not have been made, in words; null for a trajectory that is legal from end to end. Every
 * exit from human approval has a request that was settled by then: a trace without it is not of this trajectory.
 */
export function trajectoryProblem(
  { graph }: Pick<KernelEnv, 'graph'>,
  moves: readonly Move[],
  escalations: readonly EscalationTrace[],
): string | null {
  const waiting = graph.idOf('human_approval');
  let node = graph.spec.entry;
  let exits = 0;
  for (const { from, to, event, at } of moves) {
    if (from !== node) return `event ${event} moves from ${from}, and the run stands on ${node}`;
    if (graph.edge(from, to) === null) return `event ${event}: there is no edge from ${from} to ${to}`;
    node = to;
    if (from !== waiting) continue;
    exits += 1;
    const settled = escalations.filter(({ settled_at }) => settled_at !== null && settled_at <= at).length;
    if (settled < exits) return `event ${event} leads out of ${from}, and no request to a person was settled by then`;
  }
  return null;
}
