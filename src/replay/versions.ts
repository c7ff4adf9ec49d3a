import type { KernelEnv } from '../kernel/env.ts';
import { Fault } from '../model/fault.ts';
import type { RunManifest } from '../model/manifest.ts';

/**
 * A run is judged again by what judged it. Where one of its versions is not at hand, saying so is the only answer:
 * the same verdict under a newer rule would prove nothing.
 */
export function assertVersions(env: KernelEnv, manifest: RunManifest): void {
  const { graph, policy, rubric } = env;
  const needed: readonly (readonly [what: string, recorded: string, available: string])[] = [
    ['graph', manifest.workflow_graph_version, graph.hash],
    ['policy', manifest.policy_version, policy.version],
    ['rubric', manifest.rubric_version, `${rubric.name}@${rubric.version}`],
  ];
  for (const [what, recorded, available] of needed) {
    if (recorded === available) continue;
    const message = `the run was made with ${what} ${recorded}, which is not here; ${available} is`;
    throw new Fault('replay_input_missing', message);
  }
}
