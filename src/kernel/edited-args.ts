import type { JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';
import type { RunState } from './state.ts';

/** The name under which the edit of a whole plan is kept: no step has it. */
export const PLAN_EDIT = '';

/** What a run starts with, and most runs keep: nobody has changed a call of theirs. */
export const NO_EDITS: RunState['people']['edits'] = Object.freeze({});

/** The arguments a step is called with where a person has changed them under the plan in force, or null. */
export function editedArgs({ people, planning }: RunState, stepId: string): JsonObject | null {
  if (people.edits === NO_EDITS) return null;
  const edit = own(people.edits, stepId);
  return edit !== undefined && edit.planHash === planning.active?.hash ? edit.args : null;
}
