import { isJsonObject, type JsonObject, own } from '../../../model/json/json.ts';
import { type Drafts, hasDraft, type PlanStep } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import type { PlanDrafts } from '../../state/call-state.ts';
import type { RunState } from '../../state/run-state.ts';
import { putDrafts } from '../../verify/drafts.ts';
import { collectBoundSteps } from './bound-steps.ts';

function draftsOf({ planning }: RunState, stepId: string): Drafts | null {
  const { drafts, active } = planning;
  if (drafts === undefined || drafts.planHash !== active?.hash) return null;
  return Object.hasOwn(drafts.byStep, stepId) ? (drafts.byStep[stepId] ?? null) : null;
}

export const isDrafted = (state: RunState, { id, params = {} }: PlanStep): boolean =>
  state.planning.drafts !== undefined && hasDraft(params) && draftsOf(state, id) !== null;

/**
 * Whether a step has drafted text in its arguments: its own, or the result of a step that has some. A tool between the
 * drafter and the step may only copy the text.
 */
export function carriesDraft(step: PlanStep, find: (id: string) => PlanStep | undefined): boolean {
  const waiting = [step];
  const seen = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (hasDraft(next.params ?? {})) return true;
    const sources = new Set<string>();
    collectBoundSteps(next.params ?? {}, sources);
    for (const id of sources) {
      const source = seen.has(id) ? undefined : find(id);
      seen.add(id);
      if (source !== undefined) waiting.push(source);
    }
  }
  return false;
}

/** A step of the active plan, or one that an earlier plan has committed. */
export function knownStep({ planning, work }: RunState, id: string): PlanStep | undefined {
  const place = planning.active?.index.indexOf.get(id);
  return place === undefined ? assocGet(work.carried.steps, id)?.step : planning.active?.plan.steps[place];
}

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
