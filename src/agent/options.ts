import type { OwnGuards, StandardGraphName } from '../kernel/index.ts';
import type { KernelLimits } from '../model/budget/kernel-limits.ts';
import type { DecisionSpec } from '../model/critic/decision.ts';
import type { GraphSpec } from '../model/plan/graph.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import type { Identity } from '../model/run/identity.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import type { Planner } from '../ports/model/planner.ts';
import type { Agent } from './agent.ts';
import type { AgentRoles } from './agent-models.ts';
import type { World } from './world.ts';

export interface AmbitOptions {
  readonly agent: AgentSpec;
  readonly tools: readonly BoundTool[];
  readonly planner: Planner;
  readonly decisions?: readonly DecisionSpec[];
  /** Model roles of this agent alone. Each replaces the role of the same name in `world`. */
  readonly roles?: AgentRoles;
  /** The options of `agent()` that the author wrote; absent if all parts of `agent` were written. */
  readonly stated?: readonly string[];
  readonly graph?: StandardGraphName | GraphSpec;
  /** Guards of your own by `name@version`. Keep a version until the runs that use it have ended. */
  readonly guards?: OwnGuards;
  /** `memory` or `sqlite:<file>`; with `sqlite:<file>?writer=thread` a separate thread writes to the file. */
  readonly store?: 'memory' | `sqlite:${string}`;
  readonly limits?: Partial<KernelLimits>;
  readonly world?: Partial<World>;
}

type Surroundings = Omit<AmbitOptions, 'agent' | 'tools' | 'planner' | 'decisions' | 'roles' | 'stated'>;

/** Options for an agent declared with `agent()`, which already has its tools, planner and decisions. */
export type AgentRuntimeOptions<Output = unknown> = Surroundings & { readonly agent: Agent<Output> };

/** Options for several agents with one journal. Each query about a run goes to the agent of that run. */
export type AgentsRuntimeOptions = Surroundings & { readonly agents: readonly Agent[] };

/** The default export of `ambit.config.ts`: the runtime of a folder and the defaults of its command line. */
export interface AmbitConfig extends AgentsRuntimeOptions {
  /** The default identity of `ambit run`. Without `expires_at` it is valid for one hour per command. */
  readonly identity?: Omit<Identity, 'expires_at'> & Partial<Pick<Identity, 'expires_at'>>;
  /** The default person who decides at this terminal, if the runtime trusts the process. */
  readonly operator?: { readonly name: string; readonly roles?: readonly string[] };
}

/** Returns the config unchanged; gives the compiler and the editor its type. */
export function defineConfig(config: AmbitConfig): AmbitConfig {
  return config;
}
