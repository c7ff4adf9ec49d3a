import { Fault } from '../../model/fault/fault.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import type { Environment } from '../../model/run/manifest.ts';
import { leastRank, shortfalls, type TierShortfall } from './tiers.ts';
import { TOPOLOGY_NAMES, type Topology, topologyOf } from './topologies.ts';

/** Needs of cooperation, each with the least autonomous topology that meets it. */
export const TOPOLOGY_NEEDS = {
  predefined_paths: { rank: 1, meaning: 'every path is known beforehand' },
  separate_planning: { rank: 2, meaning: 'planning and acting are done by different models' },
  specialist_workers: { rank: 3, meaning: 'parts of the task belong to agents with their own tools' },
  shared_workspace: { rank: 4, meaning: 'several agents change one task state at the same time' },
  peer_delegation: { rank: 5, meaning: 'agents hand tasks to each other without a supervisor' },
} as const;

export type TopologyNeed = keyof typeof TOPOLOGY_NEEDS;

export interface TopologyProfile {
  readonly needs: readonly TopologyNeed[];
  readonly environment: Environment;
  /** The requested topology; by default the least autonomous one that suffices. */
  readonly requested?: string;
  /** Allows a swarm outside a sandbox. */
  readonly swarmOptIn?: boolean;
}

interface TopologyChoice {
  readonly topology: Topology;
  readonly insufficient: readonly TierShortfall[];
  readonly rationale: string;
}

export const chooseTopology: (task: TopologyProfile) => TopologyChoice = guardInput(
  'chooseTopology',
  (task: TopologyProfile): TopologyChoice => {
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
  },
);
