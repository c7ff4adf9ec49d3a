import type { KernelEnv } from '../kernel/env.ts';
import { missingVersion } from '../kernel/pinned-versions.ts';
import { Fault } from '../model/fault.ts';
import type { RunManifest } from '../model/manifest.ts';

/**
 * A run is judged again by what judged it. Where one of its versions is not at hand, saying so is the only answer:
 * the same verdict under a newer rule would prove nothing.
 */
export function assertVersions(env: KernelEnv, manifest: RunManifest): void {
  const missing = missingVersion(env, manifest);
  if (missing !== null) throw new Fault('replay_input_missing', missing);
}
