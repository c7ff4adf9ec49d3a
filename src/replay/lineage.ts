import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { RunManifest } from '../model/manifest.ts';

/** Templates of those who judge, look back and read requests. Who makes the plans may still be somebody's own code. */
const OTHER_ROLES: ReadonlySet<string> = new Set(['judge', 'reflect', 'compress', 'classify']);

/**
 * A run whose parts ask models says in its manifest with which prompts. A plan that a model wrote in such a run has a
 * lineage: who was asked, how, with what, and what that took. Without it nobody can tell where the plan came from.
 */
export function assertLineage(manifest: RunManifest | null, events: readonly RunEvent[], seq: number): void {
  if (manifest === null || Object.keys(manifest.prompt_template_versions).every((name) => OTHER_ROLES.has(name)))
    return;
  for (const event of events) {
    if (event.type !== 'plan_proposed' || event.author !== 'model') continue;
    if (event.calls !== undefined && event.calls.length > 0) continue;
    throw new Fault(
      'replay_input_missing',
      `frame ${seq}: the lineage of the model calls behind the plan is not recorded`,
    );
  }
}
