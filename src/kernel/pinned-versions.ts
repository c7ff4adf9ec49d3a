import { address } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import type { RunManifest, Versions } from '../model/manifest.ts';
import { judgedBy } from '../model/rubric.ts';
import type { KernelEnv } from './env.ts';

/** One thing a run was started with, and what there is of it now. */
interface Pinned {
  readonly what: string;
  readonly recorded: string;
  readonly available: string;
}

/**
 * What of that which decides about a run is not what it was started with, in words; null where all of it is. Tools
 * and decisions are told apart by what they say, not by what somebody calls them.
 */
export function missingVersion(env: KernelEnv, manifest: RunManifest): string | null {
  const { graph, policy, rubric, detectors, tools, catalog, hash } = env;
  const pinned: readonly Pinned[] = [
    { what: 'graph', recorded: manifest.workflow_graph_version, available: graph.hash },
    { what: 'policy', recorded: manifest.policy_version, available: policy.version },
    { what: 'rubric', recorded: manifest.rubric_version, available: `${rubric.name}@${rubric.version}` },
    { what: 'evaluators', recorded: listed(idsOf(manifest.evaluator_versions)), available: listed(judgedBy(rubric)) },
    { what: 'detectors', recorded: listed(idsOf(manifest.detector_versions)), available: listed(detectors) },
    { what: 'tool registry', recorded: manifest.tool_registry_version, available: versionOf(tools.specs, hash) },
    {
      what: 'decision catalogue',
      recorded: manifest.decision_catalog_version,
      available: versionOf([...catalog.values()], hash),
    },
  ];
  const missing = pinned.find(({ recorded, available }) => recorded !== available);
  if (missing === undefined) return null;
  return `the run was made with ${missing.what} ${missing.recorded}, which is not here; ${missing.available} is`;
}

/** The version of a list of specs: the content address of what it says. */
export function versionOf(specs: readonly unknown[], hash: KernelEnv['hash']): string {
  return address(hash, specs as Json);
}

const idsOf = (versions: Versions): readonly string[] =>
  Object.entries(versions).map(([name, version]) => `${name}@${version}`);

const listed = (ids: readonly string[]): string => ids.toSorted().join(', ') || 'none';
