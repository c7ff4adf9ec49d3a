import type { PlanStep } from '../model/plan.ts';
import { assocValues } from './assoc.ts';
import { carryOver } from './carry.ts';
import type { Fact, RunState } from './state.ts';

export interface DoneStep {
  readonly step: PlanStep;
  readonly fact: Fact;
}

/** Everything that was committed, under whatever plan, in the order in which it was. */
export function doneSteps(state: RunState): readonly DoneStep[] {
  return [...assocValues(carryOver(state).steps)].toSorted((a, b) => placeOf(a.fact) - placeOf(b.fact));
}

/** Evidence is numbered as it is committed. */
const placeOf = ({ evidenceId }: Fact): number => Number(evidenceId.slice(evidenceId.lastIndexOf('_') + 1));
