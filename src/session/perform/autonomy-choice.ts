import { chooseTier, chooseTopology, type TaskNeed } from '../../kernel/index.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import type { AutonomyChoice } from '../../model/run/manifest.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';

/**
 * The reasons for the tier and the topology of an agent's runs. An agent that names no topology has the least autonomous
 * one that it can work in: a supervisor with workers if it has lanes, otherwise a state machine.
 */
export function autonomyChoice({ autonomy }: AgentSpec, tools: readonly ToolSpec[]): AutonomyChoice {
  const { needs, environment, tier, reasons, topology: wanted } = autonomy;
  const requested = { rank: tier, reasons };
  const { insufficient } = chooseTier({ needs: needs as readonly TaskNeed[], environment, requested });
  const hasLanes = tools.some(({ lane }) => lane !== undefined);
  const { topology, rationale } =
    wanted === undefined
      ? chooseTopology({ needs: hasLanes ? ['specialist_workers'] : [], environment })
      : chooseTopology({ needs: [], environment, requested: wanted.name, swarmOptIn: wanted.opt_in !== undefined });
  const why = wanted?.opt_in === undefined ? rationale : `${rationale}: ${wanted.opt_in}`;
  return { needs, insufficient, topology: { name: topology.name, why } };
}
