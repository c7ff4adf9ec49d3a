/**
 * `ambit/graph`: workflow graphs, autonomy tiers and topologies.
 * @module
 */

export type { CompiledGraph, Guard, GuardTable, GuardView, OwnGuard, OwnGuards } from './kernel/index.ts';
export {
  chooseTier,
  chooseTopology,
  compile,
  defineGraph,
  STANDARD_GRAPHS,
  type StandardGraphName,
  TOPOLOGIES,
  type Topology,
  tierOf,
  toMermaid,
  topologyOf,
} from './kernel/index.ts';
