import { elapsedMs, type RunState } from '../kernel/index.ts';
import { BUDGET_ROLES, type BudgetCounters, type BudgetRole } from '../model/budget/budget.ts';
import { MICROUSD_PER_USD } from '../model/budget/dimensions.ts';

/** The amounts that a run, or one role in it, has used so far. */
export interface RoleUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The cost of models and of tools. */
  readonly usd: number;
  readonly toolCalls: number;
  /** The tool calls that reached another system. */
  readonly externalCalls: number;
  readonly sideEffects: number;
}

/** The use of a run, its lanes and its compensations included. A call in flight counts when its answer is recorded. */
export interface RunUsage extends RoleUsage {
  /** The time without waits for people. */
  readonly wallClockMs: number;
  /** The GPU time that tools reported. */
  readonly gpuMs: number;
  /** The decisions of people about the run. */
  readonly humanReviews: number;
  /** The part of each role. Compensations belong to no role. */
  readonly byRole: Readonly<Record<BudgetRole, RoleUsage>>;
}

const NO_USE: RoleUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  usd: 0,
  toolCalls: 0,
  externalCalls: 0,
  sideEffects: 0,
});

export function usageOf(state: RunState): RunUsage {
  const { budget, ending, counters } = state;
  const { rollback } = ending;
  const used = budget === null ? NO_USE : toUsage(budget.used, rollback?.spent);
  const byRole = BUDGET_ROLES.map((role) => [role, budget === null ? NO_USE : toUsage(budget.roles[role].used)]);
  const { gpuMs, humanReviews } = counters;
  return {
    ...used,
    wallClockMs: elapsedMs(state),
    gpuMs,
    humanReviews,
    byRole: Object.fromEntries(byRole) as RunUsage['byRole'],
  };
}

type RollbackSpent = NonNullable<RunState['ending']['rollback']>['spent'];

/** Compensations are charged to no budget, so that they are added here. */
function toUsage(used: BudgetCounters, compensating?: RollbackSpent): RoleUsage {
  const { input_tokens = 0, output_tokens = 0, microusd = 0, calls = 0 } = compensating ?? {};
  return {
    inputTokens: used.input_tokens + input_tokens,
    outputTokens: used.output_tokens + output_tokens,
    usd: (used.cost_microusd + used.tool_spend_microusd + microusd) / MICROUSD_PER_USD,
    toolCalls: used.tool_calls + calls,
    externalCalls: used.external_api_calls,
    sideEffects: used.side_effects,
  };
}
