import { Fault } from '../../model/fault/fault.ts';
import type { Environment } from '../../model/run/manifest.ts';
import { leastRank, shortfalls, type TierShortfall } from './tiers.ts';

export const TOPOLOGY_NAMES = [
  'state_machine',
  'planner_executor',
  'supervisor_worker',
  'blackboard',
  'specialist_swarm',
] as const;
type TopologyName = (typeof TOPOLOGY_NAMES)[number];

/** A pattern of cooperation between several agents, or the roles of one. */
export interface Topology {
  readonly name: TopologyName;
  /** 1 is the least autonomous. */
  readonly rank: number;
  readonly structure: string;
  readonly strength: string;
  readonly risk: string;
  readonly best_fit: string;
}

export const TOPOLOGIES: readonly Topology[] = [
  {
    name: 'state_machine',
    rank: 1,
    structure: 'models decide only inside the nodes of a graph that is fixed beforehand',
    strength: 'the most predictable of all',
    risk: 'little room for tasks nobody foresaw',
    best_fit: 'production work that must be compliant or reliable',
  },
  {
    name: 'planner_executor',
    rank: 2,
    structure: 'a stronger model writes the steps, a cheaper one carries them out within bounds',
    strength: 'costs less and keeps planning apart from acting',
    risk: 'the plan goes stale when the environment changes during the run',
    best_fit: 'code, research plans, tools under control',
  },
  {
    name: 'supervisor_worker',
    rank: 3,
    structure: 'one supervisor hands tasks to specialised workers',
    strength: 'each worker reaches only its own tools, so a mistake stays small',
    risk: 'the supervisor becomes a bottleneck or routes wrongly',
    best_fit: 'companies with an agent for each domain',
  },
  {
    name: 'blackboard',
    rank: 4,
    structure: 'agents work on one shared task state',
    strength: 'parts of a problem are solved in parallel',
    risk: 'corrupted state, work done twice, agents waiting for each other',
    best_fit: 'research or sandboxed exploration under strong budgets',
  },
  {
    name: 'specialist_swarm',
    rank: 5,
    structure: 'peers talk to each other and start tasks of their own',
    strength: 'the most flexible, covers the most ground',
    risk: 'runaway spending, inconsistent state, delegation in circles',
    best_fit: 'experiments; not a default for production',
  },
];

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
