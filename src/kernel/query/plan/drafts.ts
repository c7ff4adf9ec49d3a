import { isJsonObject, type JsonObject, own } from '../../../model/json/json.ts';
import { type Drafts, hasDraft, type PlanStep } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import type { PlanDrafts } from '../../state/call-state.ts';
import type { RunState } from '../../state/run-state.ts';
import { putDrafts } from '../../verify/drafts.ts';

function draftsOf({ planning }: RunState, stepId: string): Drafts | null {
  const { drafts, active } = planning;
  if (drafts === undefined || drafts.planHash !== active?.hash) return null;
  return Object.hasOwn(drafts.byStep, stepId) ? (drafts.byStep[stepId] ?? null) : null;
}

export const isDrafted = (state: RunState, { id, params = {} }: PlanStep): boolean =>
  state.planning.drafts !== undefined && hasDraft(params) && draftsOf(state, id) !== null;

export function keepDrafts(state: RunState, stepId: string, written: Drafts): RunState {
  const planHash = state.planning.active?.hash ?? '';
  const before = state.planning.drafts?.planHash === planHash ? state.planning.drafts.byStep : {};
  const drafts: PlanDrafts = { planHash, byStep: { ...before, [stepId]: written } };
  return { ...state, planning: { ...state.planning, drafts } };
}

/** Fills drafts into resolved arguments. Null while a draft is missing. */
export function draftedArgs(state: RunState, { id, params = {} }: PlanStep, resolved: JsonObject): JsonObject | null {
  if (!hasDraft(params)) return resolved;
  const drafts = draftsOf(state, id);
  const filledArgs = drafts === null ? undefined : putDrafts(params, resolved, drafts);
  return filledArgs !== undefined && isJsonObject(filledArgs) ? filledArgs : null;
}

/** Whether plans may leave arguments to a drafter: one must be configured, and the boundary must grant the right. */
export function mayDraft({ limits }: KernelEnv, { manifest }: RunState): boolean {
  const rights = manifest?.autonomy_boundary.decision_rights ?? [];
  return limits.drafterCost !== null && rights.includes('tool_arguments');
}

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
