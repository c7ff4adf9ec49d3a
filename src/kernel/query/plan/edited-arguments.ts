import { type JsonObject, own } from '../../../model/json/json.ts';
import type { RunState } from '../../state/run-state.ts';

/** The key of an edit of the plan itself. It is no step id. */
export const PLAN_EDIT = '';

/** The initial value: no edits. Most runs keep it. */
export const NO_EDITS: RunState['people']['edits'] = Object.freeze({});

/** The arguments that a person set for a step of the active plan, or null. */
export function editedArgs({ people, planning }: RunState, stepId: string): JsonObject | null {
  if (people.edits === NO_EDITS) return null;
  const edit = own(people.edits, stepId);
  return edit !== undefined && edit.planHash === planning.active?.hash ? edit.args : null;
}
