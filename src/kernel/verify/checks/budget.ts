import type { Problem } from '../../../model/problem.ts';
import type { Subject } from '../subject.ts';

/** Each dimension for itself: what is left of one never pays for another. */
export function checkBudget({ projected, context }: Subject): readonly Problem[] {
  const { remaining } = context;
  return Object.entries(projected).flatMap(([dimension, needed]) => {
    const amount = Object.hasOwn(remaining, dimension) ? remaining[dimension] : undefined;
    const left = amount === undefined || Number.isNaN(amount) ? 0 : amount;
    // Nothing needed is nothing to pay, even from an overdrawn account.
    if (needed === 0 || needed <= left) return [];
    const message = `needs ${needed} of ${dimension}, and ${left} is left`;
    return [
      { code: 'budget_projection_exceeded' as const, path: '/steps', message, detail: { dimension, needed, left } },
    ];
  });
}
