import type { AgentSpec } from '../model/agent.ts';
import type { DecisionSpec } from '../model/decision.ts';
import type { GraphSpec } from '../model/graph.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { HostOptions } from '../session/host.ts';

/** An agent as it was put together: what it may do, with which tools, along which graph. */
export interface DescribedAgent {
  readonly spec: AgentSpec;
  /** Those it was given, and those that its planner and its other tools bring along. */
  readonly tools: readonly ToolSpec[];
  readonly decisions: readonly DecisionSpec[];
  readonly graph: GraphSpec;
}

export function describedAgent({ pins: { agent, env, registry } }: HostOptions): DescribedAgent {
  return { spec: agent, tools: registry.tools, decisions: [...env.catalog.values()], graph: env.graph.spec };
}
