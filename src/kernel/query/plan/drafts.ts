import { isJsonObject, type JsonObject, own } from '../../../model/json/json.ts';
import { type Drafts, hasDraft, type PlanStep } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import type { PlanDrafts } from '../../state/call-state.ts';
import type { RunState } from '../../state/run-state.ts';
import { putDrafts } from '../../verify/drafts.ts';
import { keysOf } from '../../verify/validate-step.ts';
import { collectBoundSteps } from './bound-steps.ts';

function draftsOf({ planning }: RunState, stepId: string): Drafts | null {
  const { drafts, active } = planning;
  if (drafts === undefined || drafts.planHash !== active?.hash) return null;
  return Object.hasOwn(drafts.byStep, stepId) ? (drafts.byStep[stepId] ?? null) : null;
}

export const isDrafted = (state: RunState, { id, params = {} }: PlanStep): boolean =>
  state.planning.drafts !== undefined && hasDraft(params) && draftsOf(state, id) !== null;

/** Finds the steps whose results another step receives: by their id in bindings, and by their key in inputs. */
export interface StepFinder {
  readonly byId: (id: string) => PlanStep | undefined;
  /** Every step that fills the key: a later plan may fill it again. */
  readonly byKey: (key: string) => readonly (PlanStep | undefined)[];
}

/**
 * Whether a step has drafted text in its arguments: its own, or the result of a step that has some. A tool between the
 * drafter and the step may only copy the text.
 */
export function carriesDraft(step: PlanStep, { byId, byKey }: StepFinder): boolean {
  const waiting: (PlanStep | undefined)[] = [step];
  const seen = new Set<PlanStep>();
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (next === undefined || seen.has(next)) continue;
    seen.add(next);
    if (hasDraft(next.params ?? {})) return true;
    const sources = new Set<string>();
    collectBoundSteps(next.params ?? {}, sources);
    const keys = (next.inputs ?? []).flatMap((input) => keysOf(input).map(({ key }) => key));
    waiting.push(...[...sources].map(byId), ...keys.flatMap(byKey));
  }
  return false;
}

/** The steps of the active plan, and those that earlier plans have committed. */
export const knownSteps = ({ planning, work }: RunState): StepFinder => {
  const { steps = [] } = planning.active?.plan ?? {};
  const carried = (id: string): PlanStep | undefined => assocGet(work.carried.steps, id)?.step;
  return {
    byId: (id) => steps[planning.active?.index.indexOf.get(id) ?? -1] ?? carried(id),
    byKey: (key) => [
      ...steps.filter(({ context_key }) => context_key === key),
      carried(assocGet(work.carried.fillers, key) ?? ''),
    ],
  };
};

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
