import { assocGet } from '../../state/assoc.ts';
import type { Fact, RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';

/** The length of the prefix of an evidence id: `ev_12` is the twelfth. */
const PREFIX = 'ev_'.length;

/** Whether the run verified and committed something under this id. Ids are issued in order, so one lookup is enough. */
export function isObserved({ work }: RunState, evidenceId: string): boolean {
  return vecGet(work.evidence, Number(evidenceId.slice(PREFIX)) - 1) === evidenceId;
}

/** Like `isObserved`, and also true for items of the trusted context that the run still uses. */
export function isCommitted(state: RunState, evidenceId: string): boolean {
  return isObserved(state, evidenceId) || Object.values(state.work.evidenceByType).includes(evidenceId);
}

/** The fact that a step committed, in this plan or in one that it replaced. */
export function committedFact(state: RunState, stepId: string): Fact | null {
  const index = state.planning.active?.index.indexOf.get(stepId);
  const done = index === undefined ? undefined : vecGet(state.work.progress, index);
  if (done !== undefined) return done.status === 'committed' ? done.fact : null;
  return assocGet(state.work.carried.steps, stepId)?.fact ?? null;
}
