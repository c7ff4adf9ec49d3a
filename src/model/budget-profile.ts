import {
  BUDGET_DIMENSIONS,
  type BudgetCaps,
  type BudgetDimension,
  PartialCaps,
  parseBudget,
  parseCaps,
  REPLANS_WITHOUT_RATIONALE,
} from './budget.ts';
import { Fault } from './fault.ts';
import { deepFreeze } from './freeze.ts';

/** Who refuses when a dimension is spent. */
export const ENFORCEMENT_OWNERS: Readonly<Record<BudgetDimension, string>> = Object.freeze({
  input_tokens: 'gateway and context compiler',
  output_tokens: 'model router or gateway',
  tool_calls: 'tool gateway or policy interceptor',
  external_api_calls: 'API gateway and tool proxy',
  wall_clock_seconds: 'orchestrator timeout controller',
  inference_cost_usd: 'billing and quota controller',
  retry_count: 'circuit breaker and retry policy',
  reflection_passes: 'orchestrator',
  context_tokens: 'context compiler',
  memory_writes: 'memory write gate',
  side_effects: 'tool policy layer and sandbox',
  steps: 'orchestrator state machine',
  replan_attempts: 'orchestrator',
  lanes: 'orchestrator',
  tool_spend_usd: 'billing and quota controller',
});

/** Two re-plans are the default of every workflow. Lanes have no published default, so they are off until stated. */
const LOOP_DEFAULTS = { replan_attempts_max: REPLANS_WITHOUT_RATIONALE, lanes_max: 0 } as const;

/** The published caps. A profile that is not here must state every cap itself. */
export const PROFILE_CAPS: Readonly<Record<'research' | 'coding' | 'incident_sre', BudgetCaps>> = deepFreeze({
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

/** Profiles whose published side effects are all in the workspace of the run itself. */
const LOCAL_EFFECTS: ReadonlySet<string> = new Set(['coding']);

/**
 * Whether the side effects of a budget are those of its profile and so confined to the workspace. Whoever states another
 * number of them answers for where they are.
 */
export const effectsStayLocal = ({ profile, overrides }: BudgetChoice): boolean =>
  LOCAL_EFFECTS.has(profile) && overrides.side_effects_max === undefined;

/** A profile, and what an agent changes about it. */
interface BudgetChoice {
  readonly profile: string;
  readonly overrides: PartialCaps;
}

/** The caps in force, and how they came about. */
export interface ResolvedCaps {
  readonly caps: BudgetCaps;
  /** Dimensions whose published default a configuration changed. */
  readonly overridden: readonly BudgetDimension[];
  /** Dimensions in which the tenant's quota is what counts. */
  readonly limited_by_quota: readonly BudgetDimension[];
}

const CAPPED: readonly BudgetDimension[] = [...BUDGET_DIMENSIONS, 'tool_spend_usd'];

/** The published caps of a profile, changed by configuration, never above what the tenant is allowed. */
export function resolveCaps(profile: string, overrides: PartialCaps = {}, tenantQuota: PartialCaps = {}): ResolvedCaps {
  const published = Object.hasOwn(PROFILE_CAPS, profile)
    ? PROFILE_CAPS[profile as keyof typeof PROFILE_CAPS]
    : undefined;
  const stated = parseBudget(PartialCaps, overrides);
  if (published === undefined) assertStated(profile, stated);
  const quota = parseBudget(PartialCaps, tenantQuota);
  const wanted: PartialCaps = { ...(published ?? LOOP_DEFAULTS), ...stated };
  const limited = CAPPED.filter((dimension) => isAbove(wanted, quota, dimension));
  const caps = parseCaps({ ...wanted, ...pick(quota, limited) });
  const overridden = CAPPED.filter((dimension) => published !== undefined && differs(published, stated, dimension));
  return { caps, overridden, limited_by_quota: limited };
}

/** A profile without published caps gets no silent default: a missing cap is a refusal, not a guess. */
function assertStated(profile: string, stated: PartialCaps): void {
  const missing = BUDGET_DIMENSIONS.map((dimension) => `${dimension}_max` as const).filter(
    (cap) => stated[cap] === undefined && !Object.hasOwn(LOOP_DEFAULTS, cap),
  );
  if (missing.length === 0) return;
  const message = `the profile ${JSON.stringify(profile)} has no published caps: state ${missing.join(', ')}`;
  throw new Fault('budget_invalid', message, { path: `/${missing[0]}` });
}

/** A cap that is not stated cannot exceed a quota, except that a quota of its own binds tool spending in any case. */
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
