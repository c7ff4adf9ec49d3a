import type { StandardGraphName } from '../kernel/graph/standard-graphs.ts';
import type { AgentSpec } from '../model/agent.ts';
import type { DecisionSpec } from '../model/decision.ts';
import type { GraphSpec } from '../model/graph.ts';
import type { KernelLimits } from '../model/kernel-limits.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import type { Planner } from '../ports/planner.ts';
import type { Agent } from '../session/declare/agent.ts';
import type { World } from './world.ts';

export interface AmbitOptions {
  readonly agent: AgentSpec;
  readonly tools: readonly BoundTool[];
  readonly planner: Planner;
  readonly decisions?: readonly DecisionSpec[];
  readonly graph?: StandardGraphName | GraphSpec;
  /** `memory`, or `sqlite:` and a file; with `?writer=thread` after it a thread of its own writes to the file. */
  readonly store?: 'memory' | `sqlite:${string}`;
  readonly limits?: Partial<KernelLimits>;
  readonly world?: Partial<World>;
}

type Surroundings = Omit<AmbitOptions, 'agent' | 'tools' | 'planner' | 'decisions'>;

/** The same for an agent that `agent()` declared: it brings its tools, its planner and its decisions along. */
export type AgentRuntimeOptions = Surroundings & { readonly agent: Agent };

/** The same for several of them, in one journal: whatever is asked about a run is asked of the agent whose run it is. */
export type AgentsRuntimeOptions = Surroundings & { readonly agents: readonly Agent[] };
