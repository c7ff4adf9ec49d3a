import type { Problem } from '../../../model/json/problem.ts';
import type { Subject } from '../subject.ts';

/** Compares each dimension separately: what is left of one never pays for another. */
export function checkBudget({ projected, context }: Subject): readonly Problem[] {
  const { remaining } = context;
  return Object.entries(projected).flatMap(([dimension, needed]) => {
    const amount = Object.hasOwn(remaining, dimension) ? remaining[dimension] : undefined;
    const left = amount === undefined || Number.isNaN(amount) ? 0 : amount;
    // A need of 0 fits even an overdrawn budget.
    if (needed === 0 || needed <= left) return [];
    const message = `needs ${needed} of ${dimension}, and ${left} is left`;
    return [
      { code: 'budget_projection_exceeded' as const, path: '/steps', message, detail: { dimension, needed, left } },
    ];
  });
}
