import type { RunState } from '../../kernel/index.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Goal } from '../../model/plan/goal.ts';
import type { SecurityToken } from '../../model/run/identity.ts';

/** The goal of a run; intake has recorded it before any effect needs it. */
export function goalOf(state: RunState): Goal {
  if (state.intake.goal === null) throw new Fault('input_missing', 'the run has no goal');
  return state.intake.goal;
}

/** The token of a run; intake has resolved it before any effect needs it. */
export function tokenOf(state: RunState): SecurityToken {
  if (state.intake.token === null) throw new Fault('permission_denied', 'the run has no token');
  return state.intake.token;
}
