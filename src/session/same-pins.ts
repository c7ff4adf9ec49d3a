import type { KernelEnv } from '../kernel/env.ts';
import { missingVersion } from '../kernel/pinned-versions.ts';
import type { Pins } from '../model/context.ts';
import { Fault } from '../model/fault.ts';
import type { RunManifest } from '../model/manifest.ts';

/** A run goes on with what it was started on, or not at all: any difference is for an operator to decide about. */
export function assertSamePins(recorded: RunManifest | null, available: Pins, env: KernelEnv): void {
  if (recorded === null) return;
  if (recorded.pack_pin !== available.pack_pin) {
    const message = `the run is pinned to ${recorded.pack_pin}; this process has ${available.pack_pin}`;
    throw new Fault('pack_version_mismatch', message);
  }
  if (recorded.snapshot_pin !== available.snapshot_pin) {
    const message = `the run is pinned to ${recorded.snapshot_pin}; this process has ${available.snapshot_pin}`;
    throw new Fault('snapshot_version_mismatch', message);
  }
  const missing = missingVersion(env, recorded);
  if (missing !== null) throw new Fault('replay_input_missing', missing);
}
