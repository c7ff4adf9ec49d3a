import { DEFAULT_LIMITS } from '../../kernel/env.ts';
import { DecisionSpec } from '../../model/decision.ts';
import { deepFreeze } from '../../model/freeze.ts';
import { KernelLimits } from '../../model/kernel-limits.ts';
import { parseAt } from '../../model/parse.ts';
import type { Classifier } from '../../ports/classifier.ts';
import type { Drafter } from '../../ports/drafter.ts';
import type { Planner } from '../../ports/planner.ts';
import type { Reviewer } from '../../ports/reviewer.ts';
import { plannerCost } from './safer-planner.ts';

export function decisionsOf({
  decisions = [],
}: {
  readonly decisions?: readonly DecisionSpec[];
}): readonly DecisionSpec[] {
  return decisions.map((decision, place) => parseAt(`/decisions/${place}`, DecisionSpec, decision, 'input_invalid'));
}

/** The limits of a run, with what its planner and its classifier may take unless something else is said. */
export function limitsOf({
  limits,
  planner,
  world,
}: {
  readonly limits?: Partial<KernelLimits>;
  readonly planner: Planner;
  readonly world?: {
    readonly classifier?: Classifier | null;
    readonly reviewer?: Reviewer;
    readonly drafter?: Drafter | null;
  };
}): KernelLimits {
  const usual = {
    ...DEFAULT_LIMITS,
    plannerCost: plannerCost(planner) ?? DEFAULT_LIMITS.plannerCost,
    classifierCost: world?.classifier?.cost ?? null,
    reviewerCost: world?.reviewer?.cost ?? null,
    drafterCost: world?.drafter?.cost ?? null,
  };
  return deepFreeze(parseAt('/limits', KernelLimits, { ...usual, ...limits }, 'input_invalid'));
}
