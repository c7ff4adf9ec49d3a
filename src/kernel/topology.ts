import { Fault } from '../model/fault.ts';
import type { Environment } from '../model/manifest.ts';
import { leastRank, type Shortfall, shortfalls } from './least-autonomy.ts';
import { TOPOLOGIES, TOPOLOGY_NAMES, TOPOLOGY_NEEDS, type Topology, type TopologyNeed } from './topologies.ts';

export interface TopologyProfile {
  readonly needs: readonly TopologyNeed[];
  readonly environment: Environment;
  /** A topology by name; without one the least autonomous that can do the task is taken. */
  readonly requested?: string;
  /** Somebody answers for a swarm outside a sandbox. */
  readonly swarmOptIn?: boolean;
}

export interface TopologyChoice {
  readonly topology: Topology;
  readonly insufficient: readonly Shortfall[];
  readonly rationale: string;
}

export function topologyOf(name: string): Topology {
  const topology = TOPOLOGIES.find((candidate) => candidate.name === name);
  if (topology !== undefined) return topology;
  throw new Fault('topology_unknown', `there is no topology "${name}"; known are ${TOPOLOGY_NAMES.join(', ')}`);
}

export function chooseTopology(task: TopologyProfile): TopologyChoice {
  const rank = leastRank(TOPOLOGY_NEEDS, task.needs);
  const least = topologyOf(TOPOLOGY_NAMES[rank - 1] ?? '');
  const topology = task.requested === undefined ? least : topologyOf(task.requested);
  if (topology.rank < rank) {
    const why = shortfalls(TOPOLOGY_NEEDS, task.needs, rank).find((lack) => lack.rank === topology.rank)?.why ?? '';
    throw new Fault('topology_not_allowed', `${topology.name} is not enough for this task: ${why}`);
  }
  if (topology.name === 'specialist_swarm' && task.environment !== 'sandbox' && task.swarmOptIn !== true) {
    throw new Fault('topology_not_allowed', `${topology.name} needs an explicit opt-in in ${task.environment}`);
  }
  const rationale =
    topology === least
      ? `${topology.name} is the least autonomous topology that can do the task`
      : `${topology.name} was asked for; ${least.name} is less autonomous and could do the task`;
  return { topology, insufficient: shortfalls(TOPOLOGY_NEEDS, task.needs, rank), rationale };
}
