import { AMOUNT_MAX, type Budget } from '../../model/budget/budget.ts';
import type { KernelLimits } from '../../model/budget/kernel-limits.ts';
import { Fault } from '../../model/fault/fault.ts';
import { isAmount } from './account.ts';
import type { Reservation } from './budget.ts';

/** The measured dimensions: context and consecutive retries. */

/** Counts a retry, if the cap of consecutive failures allows it. */
export function noteRetry(budget: Budget): Reservation {
  const left = budget.caps.retry_count_max - budget.retries_in_a_row;
  if (left < 1) return { ok: false, code: 'budget_exhausted', dimension: 'retry_count', needed: 1, left };
  const retries = { retries_in_a_row: budget.retries_in_a_row + 1, retries_total: budget.retries_total + 1 };
  return { ok: true, budget: { ...budget, ...retries } };
}

/** Resets the consecutive failures after a success. The total stays. */
export function clearRetries(budget: Budget): Budget {
  return budget.retries_in_a_row === 0 ? budget : { ...budget, retries_in_a_row: 0 };
}

export function setContext(budget: Budget, tokens: number): Budget {
  assertAmount('context_tokens', tokens);
  return budget.context_tokens === tokens ? budget : { ...budget, context_tokens: tokens };
}

/** True if the context exceeds its threshold: a part of its cap, or of the model's limit if that is smaller. */
export function isUnderContextPressure(
  { caps, context_tokens }: Budget,
  { contextLimit, compressAbove }: Pick<KernelLimits, 'contextLimit' | 'compressAbove'>,
): boolean {
  return context_tokens / Math.min(caps.context_tokens_max, contextLimit) > compressAbove;
}

function assertAmount(name: string, value: number): void {
  if (isAmount(value)) return;
  throw new Fault('budget_invalid', `${name}: ${value} is not a whole number from 0 to ${AMOUNT_MAX}`, {
    path: `/${name}`,
  });
}
