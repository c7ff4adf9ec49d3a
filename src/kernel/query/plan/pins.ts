import { judgedBy } from '../../../model/critic/rubric.ts';
import { type Pins, pinsText, samePins } from '../../../model/evidence/context.ts';
import { Fault } from '../../../model/fault/fault.ts';
import { address, versionOf } from '../../../model/json/hash.ts';
import type { Json } from '../../../model/json/json.ts';
import { idsOf, joinIds, type RunManifest } from '../../../model/run/manifest.ts';
import type { KernelEnv } from '../../env.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';

/** Pins hold for the life of a run. Only a migration by an operator changes them. */
export function assertPinsKept(before: Pins | null, after: Pins): void {
  if (before === null || samePins(before, after)) return;
  throw new Fault(
    'pin_immutable',
    `the run is pinned to ${pinsText(before)} and cannot be moved to ${pinsText(after)}`,
  );
}

/** Requires that the version of the boundary is its content address, in runs that record it. */
export function assertBoundaryVersion({ hash }: Pick<KernelEnv, 'hash'>, state: RunState, manifest: RunManifest): void {
  const { autonomy_boundary: boundary, autonomy_boundary_version: version } = manifest;
  if (!hasRule({ manifest }, 'boundary_addressed') || version === address(hash, boundary as unknown as Json)) return;
  throw impossibleEvent(`boundary version ${version} is not the content address of the boundary`, state);
}

/** One pinned version and the available one. */
interface Pinned {
  readonly what: string;
  readonly recorded: string;
  readonly available: string;
}

/**
 * The first component that differs from the version the run started with, as text; null if all match. Tools and
 * decisions are compared by content, not by name.
 */
export function missingVersion(env: KernelEnv, manifest: RunManifest): string | null {
  const { graph, policy, rubric, detectors, tools, catalog, hash } = env;
  const pinned: readonly Pinned[] = [
    { what: 'graph', recorded: manifest.workflow_graph_version, available: graph.hash },
    { what: 'policy', recorded: manifest.policy_version, available: policy.version },
    { what: 'rubric', recorded: manifest.rubric_version, available: `${rubric.name}@${rubric.version}` },
    { what: 'evaluators', recorded: joinIds(idsOf(manifest.evaluator_versions)), available: joinIds(judgedBy(rubric)) },
    { what: 'detectors', recorded: joinIds(idsOf(manifest.detector_versions)), available: joinIds(detectors) },
    { what: 'tool registry', recorded: manifest.tool_registry_version, available: versionOf(tools.specs, hash) },
    {
      what: 'decision catalogue',
      recorded: manifest.decision_catalog_version,
      available: versionOf([...catalog.values()], hash),
    },
    ...outputPin(env, manifest),
  ];
  const missing = pinned.find(({ recorded, available }) => recorded !== available);
  if (missing === undefined) return null;
  return `the run was made with ${missing.what} ${missing.recorded}, which is not here; ${missing.available} is`;
}

/** The output schema, if the run has one. */
function outputPin({ output, hash }: KernelEnv, { output_schema }: RunManifest): readonly Pinned[] {
  if (output_schema === undefined) return [];
  const available = output === undefined ? 'none' : versionOf([output.schema], hash);
  return [{ what: 'output schema', recorded: versionOf([output_schema], hash), available }];
}
