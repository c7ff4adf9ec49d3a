import type { DecisionSpec } from '../model/critic/decision.ts';
import type { GraphSpec } from '../model/plan/graph.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import type { HostOptions } from '../session/host.ts';

/** An assembled agent: its specification, tools, decisions and graph. */
export interface DescribedAgent {
  readonly spec: AgentSpec;
  /** The agent's own tools, and those that its planner and other tools add. */
  readonly tools: readonly ToolSpec[];
  readonly decisions: readonly DecisionSpec[];
  readonly graph: GraphSpec;
}

export function describeAgent({ pins: { agent, env, registry } }: HostOptions): DescribedAgent {
  return { spec: agent, tools: registry.tools, decisions: [...env.catalog.values()], graph: env.graph.spec };
}
