import type { KernelEnv } from '../../kernel/env.ts';
import { compile } from '../../kernel/graph/compile.ts';
import { STANDARD_GRAPHS, type StandardGraphName } from '../../kernel/graph/standard-graphs.ts';
import { GUARDS } from '../../kernel/guards.ts';
import { chooseTier, tierOf } from '../../kernel/ladder.ts';
import type { TaskNeed } from '../../kernel/tiers.ts';
import { chooseTopology } from '../../kernel/topology.ts';
import type { AgentSpec } from '../../model/agent.ts';
import { Fault } from '../../model/fault.ts';
import type { GraphSpec } from '../../model/graph.ts';
import type { Hash } from '../../model/hash.ts';

/** The lowest rung that can do the work, or a reason against every lower one: nothing above that is put together. */
export function assertTier({ autonomy: { needs, environment, tier, reasons } }: AgentSpec): void {
  // Whether these are needs that anybody knows is the ladder's own question.
  chooseTier({ needs: needs as readonly TaskNeed[], environment, requested: { rank: tier, reasons } });
}

/** How agents work together has rungs of its own: a swarm is put together in a sandbox, or where somebody answers for it. */
export function assertTopology({ autonomy: { environment, topology } }: AgentSpec): void {
  if (topology === undefined) return;
  chooseTopology({ needs: [], environment, requested: topology.name, swarmOptIn: topology.opt_in !== undefined });
}

/** The graph that was asked for, or the usual one of the agent's tier; never one of a higher tier than the agent's. */
export function graphFor(
  asked: StandardGraphName | GraphSpec | undefined,
  { name, autonomy: { tier } }: AgentSpec,
  hash: Hash,
): KernelEnv['graph'] {
  const graph = compile(graphOf(asked ?? tierOf(tier).graphs[0]), GUARDS, hash);
  if (graph.spec.tier <= tier) return graph;
  const message = `the graph ${graph.spec.name} is built for tier ${graph.spec.tier}, and ${name} declares tier ${tier}`;
  throw new Fault('tier_not_allowed', message, { path: '/agent/autonomy/tier' });
}

function graphOf(name: StandardGraphName | GraphSpec): GraphSpec {
  if (typeof name === 'object') return name;
  if (!Object.hasOwn(STANDARD_GRAPHS, name)) {
    throw new Fault(
      'graph_invalid',
      `there is no graph "${name}"; there are ${Object.keys(STANDARD_GRAPHS).join(', ')}`,
    );
  }
  return STANDARD_GRAPHS[name];
}
