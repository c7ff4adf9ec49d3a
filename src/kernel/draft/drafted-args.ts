import type { Drafts } from '../../model/draft.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { PlanStep } from '../../model/plan.ts';
import type { RunState } from '../state.ts';
import { holdsDraft, putDrafts } from './draft-places.ts';
import type { PlanDrafts } from './plan-drafts.ts';

/** What was written for a step under the plan in force, or null. */
function draftsOf({ planning }: RunState, stepId: string): Drafts | null {
  const { drafts, active } = planning;
  if (drafts === undefined || drafts.planHash !== active?.hash) return null;
  return Object.hasOwn(drafts.byStep, stepId) ? (drafts.byStep[stepId] ?? null) : null;
}

/** Whether everything that the plan leaves open for a step has been written. */
export const isWritten = (state: RunState, { id, params = {} }: PlanStep): boolean =>
  state.planning.drafts !== undefined && holdsDraft(params) && draftsOf(state, id) !== null;

export function keepDrafts(state: RunState, stepId: string, written: Drafts): RunState {
  const planHash = state.planning.active?.hash ?? '';
  const before = state.planning.drafts?.planHash === planHash ? state.planning.drafts.byStep : {};
  const drafts: PlanDrafts = { planHash, byStep: { ...before, [stepId]: written } };
  return { ...state, planning: { ...state.planning, drafts } };
}

/** Resolved arguments with everything in place that was written for them. Null while something is still to be written. */
export function draftedArgs(state: RunState, { id, params = {} }: PlanStep, resolved: JsonObject): JsonObject | null {
  if (!holdsDraft(params)) return resolved;
  const drafts = draftsOf(state, id);
  const put = drafts === null ? undefined : putDrafts(params, resolved, drafts);
  return put !== undefined && isJsonObject(put) ? put : null;
}
