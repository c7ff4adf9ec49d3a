import type { BudgetCaps } from '../../../model/budget/budget.ts';
import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';

/** The part of the context that earlier messages may take. The rest is for the task and its results. */
const HISTORY_SHARE = 0.5;

/** The most tokens that earlier messages may take, or null in a run from before the limit. */
export function historyTokensMax(
  { limits }: Pick<KernelEnv, 'limits'>,
  { context_tokens_max }: Pick<BudgetCaps, 'context_tokens_max'>,
): number | null {
  const { historyTokensMax: most, contextLimit } = limits;
  if (most === undefined) return null;
  return Math.floor(Math.min(most, HISTORY_SHARE * Math.min(context_tokens_max, contextLimit)));
}

/** Whether the run began with more earlier messages than its models may read. */
export function hasLongHistory(env: KernelEnv, { intake: { history }, budget }: RunState): boolean {
  if (history === undefined || budget === null) return false;
  const most = historyTokensMax(env, budget.caps);
  return most !== null && history.tokens > most;
}
