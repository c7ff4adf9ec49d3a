import { Fault } from '../fault/fault.ts';
import { guardInput } from '../fault/guard-input.ts';
import { deepFreeze } from '../json/freeze.ts';
import { type BudgetCaps, PartialCaps, parseBudget, parseCaps, REPLANS_WITHOUT_RATIONALE } from './budget.ts';
import { BUDGET_DIMENSIONS, type BudgetDimension, CAPPED_DIMENSIONS, DIMENSIONS } from './dimensions.ts';

/** The component that refuses an action when a dimension is spent. */
export const ENFORCEMENT_OWNERS: Readonly<Record<BudgetDimension, string>> = Object.freeze(
  Object.fromEntries(CAPPED_DIMENSIONS.map((dimension) => [dimension, DIMENSIONS[dimension].owner])) as Record<
    BudgetDimension,
    string
  >,
);

/** Every workflow may re-plan twice by default. Lanes have no published default, so they are off until configured. */
const LOOP_DEFAULTS = { replan_attempts_max: REPLANS_WITHOUT_RATIONALE, lanes_max: 0 } as const;

/** The budgets with published caps: three of risk profiles, and one for any agent. */
export const BUDGET_PRESETS = ['standard', 'research', 'coding', 'incident_sre'] as const;
export type BudgetPreset = (typeof BUDGET_PRESETS)[number];

/** The published caps. Any other profile must state every cap itself. */
export const PROFILE_CAPS: Readonly<Record<BudgetPreset, BudgetCaps>> = deepFreeze({
  standard: {
    steps_max: 15,
    tool_calls_max: 30,
    external_api_calls_max: 5,
    input_tokens_max: 200_000,
    output_tokens_max: 30_000,
    wall_clock_seconds_max: 300,
    inference_cost_usd_max: 2,
    retry_count_max: 3,
    reflection_passes_max: 1,
    context_tokens_max: 100_000,
    memory_writes_max: 0,
    side_effects_max: 1,
    ...LOOP_DEFAULTS,
  },
  research: {
    steps_max: 15,
    tool_calls_max: 30,
    external_api_calls_max: 5,
    input_tokens_max: 200_000,
    output_tokens_max: 30_000,
    wall_clock_seconds_max: 300,
    inference_cost_usd_max: 2,
    retry_count_max: 3,
    reflection_passes_max: 1,
    context_tokens_max: 100_000,
    memory_writes_max: 2,
    side_effects_max: 0,
    ...LOOP_DEFAULTS,
  },
  coding: {
    steps_max: 30,
    tool_calls_max: 50,
    external_api_calls_max: 10,
    input_tokens_max: 400_000,
    output_tokens_max: 60_000,
    wall_clock_seconds_max: 600,
    inference_cost_usd_max: 5,
    retry_count_max: 5,
    reflection_passes_max: 2,
    context_tokens_max: 200_000,
    memory_writes_max: 5,
    side_effects_max: 2,
    ...LOOP_DEFAULTS,
  },
  incident_sre: {
    steps_max: 10,
    tool_calls_max: 15,
    external_api_calls_max: 2,
    input_tokens_max: 100_000,
    output_tokens_max: 15_000,
    wall_clock_seconds_max: 120,
    inference_cost_usd_max: 1,
    retry_count_max: 2,
    reflection_passes_max: 1,
    context_tokens_max: 50_000,
    memory_writes_max: 0,
    side_effects_max: 0,
    ...LOOP_DEFAULTS,
  },
});

/** Profiles whose published side effects all happen in the workspace of the run. */
const LOCAL_EFFECTS: ReadonlySet<string> = new Set(['coding']);

/**
 * True if the side effects are those of the profile and so confined to the workspace. An override of their number gives
 * no such guarantee.
 */
export const hasLocalEffects = ({ profile, overrides }: BudgetChoice): boolean =>
  LOCAL_EFFECTS.has(profile) && overrides.side_effects_max === undefined;

/** A profile and the agent's overrides. */
interface BudgetChoice {
  readonly profile: string;
  readonly overrides: PartialCaps;
}

/** The effective caps and their origin. */
export interface ResolvedCaps {
  readonly caps: BudgetCaps;
  /** Dimensions whose published default the configuration changed. */
  readonly overridden: readonly BudgetDimension[];
  /** Dimensions that the tenant's quota limits. */
  readonly limited_by_quota: readonly BudgetDimension[];
}

/** Returns the published caps of a profile with the configured overrides, limited by the tenant's quota. */
export const resolveCaps: (profile: string, overrides?: PartialCaps, tenantQuota?: PartialCaps) => ResolvedCaps =
  guardInput(
    'resolveCaps',
    (profile: string, overrides: PartialCaps = {}, tenantQuota: PartialCaps = {}): ResolvedCaps => {
      const published = Object.hasOwn(PROFILE_CAPS, profile)
        ? PROFILE_CAPS[profile as keyof typeof PROFILE_CAPS]
        : undefined;
      const stated = parseBudget(PartialCaps, overrides);
      if (published === undefined) assertStated(profile, stated);
      const quota = parseBudget(PartialCaps, tenantQuota);
      const wanted: PartialCaps = { ...(published ?? LOOP_DEFAULTS), ...stated };
      const limited = CAPPED_DIMENSIONS.filter((dimension) => isAbove(wanted, quota, dimension));
      const caps = parseCaps({ ...wanted, ...pick(quota, limited) });
      const overridden = CAPPED_DIMENSIONS.filter(
        (dimension) => published !== undefined && differs(published, stated, dimension),
      );
      return { caps, overridden, limited_by_quota: limited };
    },
  );

export type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** The name of a cap as an option of `agent()`: `toolCallsMax` for `tool_calls_max`. */
export const capOption = (cap: string): string => cap.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Refuses a profile without published caps that leaves a cap out, instead of using a silent default. */
function assertStated(profile: string, stated: PartialCaps): void {
  const missing = BUDGET_DIMENSIONS.map((dimension) => `${dimension}_max` as const).filter(
    (cap) => stated[cap] === undefined && !Object.hasOwn(LOOP_DEFAULTS, cap),
  );
  if (missing.length === 0) return;
  const presets = BUDGET_PRESETS.map((preset) => `'${preset}'`).join(', ');
  const message = `the profile ${JSON.stringify(profile)} has no published caps: state ${missing.map(capOption).join(', ')}; or name a budget with published caps (${presets})`;
  throw new Fault('budget_invalid', message, { path: `/${missing[0]}` });
}

/** True if a cap exceeds the quota. A missing cap does not, except for tool spending, which its quota always limits. */
function isAbove(wanted: PartialCaps, quota: PartialCaps, dimension: BudgetDimension): boolean {
  const most = quota[`${dimension}_max`];
  if (most === undefined) return false;
  return (wanted[`${dimension}_max`] ?? (dimension === 'tool_spend_usd' ? Infinity : -Infinity)) > most;
}

function differs(published: BudgetCaps, stated: PartialCaps, dimension: BudgetDimension): boolean {
  const value = stated[`${dimension}_max`];
  return value !== undefined && value !== published[`${dimension}_max`];
}

function pick(caps: PartialCaps, dimensions: readonly BudgetDimension[]): PartialCaps {
  return Object.fromEntries(dimensions.map((dimension) => [`${dimension}_max`, caps[`${dimension}_max`]]));
}
