import { Fault } from '../../model/fault/fault.ts';
import { guardInput } from '../../model/fault/guard-input.ts';

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

export const topologyOf: (name: string) => Topology = guardInput('topologyOf', (name: string): Topology => {
  const topology = TOPOLOGIES.find((candidate) => candidate.name === name);
  if (topology !== undefined) return topology;
  throw new Fault('topology_unknown', `there is no topology "${name}"; known are ${TOPOLOGY_NAMES.join(', ')}`);
});
