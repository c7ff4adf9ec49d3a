import { z } from 'zod';
import { BudgetCaps } from '../budget/budget.ts';
import { type BudgetDimension, CAPPED_DIMENSIONS } from '../budget/dimensions.ts';
import { TimeoutRangeMs } from '../budget/kernel-limits.ts';
import type { ModelRole } from '../budget/model-call.ts';
import { UnitPrices } from '../budget/run-cost.ts';
import { PackRef, type Pins } from '../evidence/context.ts';
import { Fault } from '../fault/fault.ts';
import { guardInput } from '../fault/guard-input.ts';
import { exact, exactObject, JsonRecord } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { JsonObject } from '../json/json.ts';
import { Name, Text } from '../json/name.ts';
import { parse } from '../json/parse.ts';
import { Boundary } from '../policy/boundary.ts';
import { RunRule } from './rules.ts';
import { ThreadPlace } from './thread.ts';

export const ENVIRONMENTS = ['production', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
export const Environment: z.ZodType<Environment> = z.enum(ENVIRONMENTS);

/** One model per role. A role without a model is `none`; it is never omitted. */
export interface ModelVersions {
  readonly planner: string;
  readonly executor: string;
  readonly verifier: string;
  readonly router: string;
}
export const ModelVersions: z.ZodType<ModelVersions> = exactObject({
  planner: Name,
  executor: Name,
  verifier: Name,
  router: Name,
});

/**
 * The name of each role in the manifest. The compressor and the reflector have none, because they are part of planning.
 */
export const MANIFEST_ROLE: Readonly<Record<ModelRole, keyof ModelVersions | null>> = Object.freeze({
  planner: 'planner',
  executor: 'executor',
  judge: 'verifier',
  classifier: 'router',
  compressor: null,
  reflector: null,
});

/** Splits the id of a prompt template, such as `plan_first@1`, into its name and its version. */
export function nameAndVersion(template: string): readonly [name: string, version: string] {
  const at = template.lastIndexOf('@');
  return at < 1 ? [template, '1'] : [template.slice(0, at), template.slice(at + 1)];
}

/** Versions by name, for example of prompt templates or evaluators. */
export type Versions = Readonly<Record<string, string>>;
export const Versions: z.ZodType<Versions> = exact(z.record(Name, Name));

/** Versions as ids, such as `schema@1`. */
export const idsOf = (versions: Versions): readonly string[] =>
  Object.entries(versions).map(([name, version]) => `${name}@${version}`);

/** Ids as one sorted text, so that two lists can be compared and shown. */
export const joinIds = (ids: readonly string[]): string => ids.toSorted().join(', ') || 'none';

/** The time limits of planning, recorded if the host names their range. */
export interface RecordedTimeouts {
  readonly range_ms: TimeoutRangeMs;
  readonly usual_ms: number;
  readonly by_task_class: Readonly<Record<string, number>>;
}
export const RecordedTimeouts: z.ZodType<RecordedTimeouts> = exactObject({
  range_ms: TimeoutRangeMs,
  usual_ms: z.number(),
  by_task_class: z.record(z.string(), z.number()),
});

/** The profile behind the caps of a run, and the dimensions that the agent or the tenant's quota changed. */
export interface BudgetSource {
  readonly profile: string;
  /** Dimensions whose published cap the agent overrides. */
  readonly overridden: readonly BudgetDimension[];
  /** Dimensions that the tenant's quota, the boundary or the parent of a lane lowers. */
  readonly limited_by_quota: readonly BudgetDimension[];
}
const Dimensions = z.array(z.enum(CAPPED_DIMENSIONS));
export const BudgetSource: z.ZodType<BudgetSource> = exactObject({
  profile: Name,
  overridden: Dimensions,
  limited_by_quota: Dimensions,
});

/** The reasons for the tier and the topology of a run. */
export interface AutonomyChoice {
  /** The needs of the work, as the agent declares them. */
  readonly needs: readonly string[];
  /** The reason against each lower tier, lowest first. */
  readonly insufficient: readonly { readonly rank: number; readonly why: string }[];
  readonly topology: { readonly name: string; readonly why: string };
}
export const AutonomyChoice: z.ZodType<AutonomyChoice> = exactObject({
  needs: z.array(Name),
  insufficient: z.array(z.strictObject({ rank: z.int().min(1).max(7), why: Text })),
  topology: z.strictObject({ name: Name, why: Text }),
});

/** The versions and settings of a run. With manifest and journal, every decision can be derived again. */
export interface RunManifest extends Pins {
  readonly run_id: string;
  readonly agent: string;
  readonly autonomy_boundary: Boundary;
  /** The content address of the boundary. In runs from before the rule `boundary_addressed`, the boundary's `version`. */
  readonly autonomy_boundary_version: string;
  /** Content hash of the compiled graph. */
  readonly workflow_graph_version: Address;
  readonly tool_registry_version: string;
  readonly decision_catalog_version: string;
  readonly policy_version: string;
  readonly evaluator_versions: Versions;
  /** Versions of the rules that detect dangerous content in a step. */
  readonly detector_versions: Versions;
  readonly rubric_version: string;
  readonly model_versions: ModelVersions;
  /**
   * The models of each part that asks one and that is compared by itself: `drafter`, `classifier`, `judge:<id>`,
   * `tool:<name>`. Absent in runs that compare all models of a role together (ADR 0111).
   */
  readonly models?: Versions;
  readonly prompt_template_versions: Versions;
  readonly memory_snapshot: Address | null;
  /** Includes the reason if the run may replan more often than usual. */
  readonly budget_caps: BudgetCaps;
  /** The origin of the caps. Absent in runs from before it was recorded. */
  readonly budget?: BudgetSource;
  /** The prices of the run's cost. Absent if the host names none. */
  readonly prices?: UnitPrices;
  readonly environment: Environment;
  /** Rung of the least-autonomy ladder, 1 to 7. */
  readonly tier: number;
  /** The reasons for the tier and the topology. Absent in runs from before they were recorded. */
  readonly autonomy?: AutonomyChoice;
  /** Absent if planning has the usual range of 5 to 30 seconds. */
  readonly planner_timeouts?: RecordedTimeouts;
  /** The JSON Schema of the output; absent if the agent declares none. */
  readonly output_schema?: JsonObject;
  /** The thread of the run, and the runs before it; absent for a run without a thread. */
  readonly thread?: ThreadPlace;
  /** The guards of the graph that the host supplies, each as `name@version`; absent if there are none. */
  readonly guards?: readonly string[];
  /** The newer rules that the run is derived by; absent in runs from before the first of them. */
  readonly rules?: readonly RunRule[];
}
type BoundaryVersioned = Pick<RunManifest, 'autonomy_boundary' | 'autonomy_boundary_version'> & {
  readonly rules?: readonly RunRule[] | undefined;
};

/** The kernel compares a content address with the boundary; here, without a hash function, only its form is checked. */
const hasBoundaryVersion = ({
  autonomy_boundary,
  autonomy_boundary_version: version,
  rules,
}: BoundaryVersioned): boolean =>
  rules?.includes('boundary_addressed') === true
    ? ContentAddress.safeParse(version).success
    : autonomy_boundary.version === version;

export const RunManifest: z.ZodType<RunManifest> = exact(
  z
    .strictObject({
      run_id: Name,
      agent: Name,
      autonomy_boundary: Boundary,
      autonomy_boundary_version: Name,
      workflow_graph_version: ContentAddress,
      tool_registry_version: Name,
      decision_catalog_version: Name,
      policy_version: Name,
      evaluator_versions: Versions,
      detector_versions: Versions,
      rubric_version: Name,
      model_versions: ModelVersions,
      models: Versions.exactOptional(),
      prompt_template_versions: Versions,
      pack_pin: PackRef,
      snapshot_pin: Name,
      memory_snapshot: ContentAddress.nullable(),
      budget_caps: BudgetCaps,
      budget: BudgetSource.exactOptional(),
      prices: UnitPrices.exactOptional(),
      environment: Environment,
      tier: z.int().min(1).max(7),
      autonomy: AutonomyChoice.exactOptional(),
      planner_timeouts: RecordedTimeouts.exactOptional(),
      output_schema: JsonRecord.exactOptional(),
      thread: ThreadPlace.exactOptional(),
      guards: z.array(Name).exactOptional(),
      rules: z.array(RunRule).exactOptional(),
    })
    .refine(hasBoundaryVersion, {
      message: 'must be the version of the boundary in this manifest',
      path: ['autonomy_boundary_version'],
    }),
);

/** Parses a manifest. A missing boundary is reported before any other problem. */
export const parseManifest: (value: unknown) => RunManifest = guardInput(
  'parseManifest',
  (value: unknown): RunManifest => {
    if (typeof value === 'object' && value !== null && !Object.hasOwn(value, 'autonomy_boundary')) {
      throw new Fault('boundary_missing', 'a run cannot start without an autonomy boundary', {
        path: '/autonomy_boundary',
      });
    }
    return parse(RunManifest, value, 'manifest_invalid');
  },
);
