import type { AgentSpec } from '../../model/agent.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import type { Planner } from '../../ports/planner.ts';

interface Parts {
  readonly agent: AgentSpec;
  readonly tools: readonly BoundTool[];
  readonly planner: Planner;
}

/**
 * What a planner brings along belongs to the registry and to the boundary: it only speaks. A tool of the host under the
 * same name is that tool, and has to be permitted like any other.
 */
export function withPlannersTools<P extends Parts>(parts: P): P {
  const own = new Set(parts.tools.map(({ spec }) => spec.name));
  const brought = (parts.planner.tools ?? []).filter(({ spec }) => !own.has(spec.name));
  if (brought.length === 0) return parts;
  const names = brought.map(({ spec }) => spec.name);
  return { ...parts, tools: [...parts.tools, ...brought], agent: permitting(parts.agent, names) };
}

/** An agent that is not one is left as it is: what is wrong with it is said with everything else. */
function permitting(agent: AgentSpec, names: readonly string[]): AgentSpec {
  const allowed: unknown = agent?.boundary?.tools?.allowed;
  if (!Array.isArray(allowed)) return agent;
  const { boundary } = agent;
  const tools = { ...boundary.tools, allowed: [...new Set([...boundary.tools.allowed, ...names])] };
  return { ...agent, boundary: { ...boundary, tools } };
}
