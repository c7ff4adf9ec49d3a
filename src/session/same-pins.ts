import type { KernelEnv } from '../kernel/env.ts';
import { missingVersion } from '../kernel/pinned-versions.ts';
import type { AgentSpec } from '../model/agent.ts';
import { Fault } from '../model/fault.ts';
import type { RunManifest } from '../model/manifest.ts';
import { own } from '../model/own.ts';

/** A run goes on with what it was started on, or not at all: any difference is for an operator to decide about. */
export function assertSamePins(recorded: RunManifest | null, available: AgentSpec['pins'], env: KernelEnv): void {
  if (recorded === null) return;
  if (recorded.pack_pin !== available.pack_pin) {
    const message = `the run is pinned to ${recorded.pack_pin}; this process has ${available.pack_pin}`;
    throw new Fault('pack_version_mismatch', message);
  }
  if (recorded.snapshot_pin !== available.snapshot_pin) {
    const message = `the run is pinned to ${recorded.snapshot_pin}; this process has ${available.snapshot_pin}`;
    throw new Fault('snapshot_version_mismatch', message);
  }
  const missing = missingVersion(env, recorded) ?? otherModels(recorded, available);
  if (missing !== null) throw new Fault('replay_input_missing', missing);
}

/** A run that goes on asks models where replay does not: who was asked so far is who is asked on, in the same words. */
function otherModels(recorded: RunManifest, available: AgentSpec['pins']): string | null {
  const roles = ['planner', 'executor', 'verifier', 'router'] as const;
  const pinned = [
    ...roles.map((role) => [`the ${role}`, recorded.model_versions[role], available.model_versions[role]]),
    ...Object.entries(recorded.prompt_template_versions).map(([name, version]) => [
      `the prompt template ${name}`,
      version,
      own(available.prompt_template_versions, name),
    ]),
  ];
  const changed = pinned.find(([, before, now]) => before !== now);
  if (changed === undefined) return null;
  const [what, before, now = 'none'] = changed;
  return `the run was made with ${what} ${before}, which is not here; ${now} is`;
}
