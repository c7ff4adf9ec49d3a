import type { RunState } from './state.ts';
import { vecGet } from './vec.ts';

/** As long as what stands before the number in an id of evidence: `ev_12` is the twelfth. */
const PREFIX = 'ev_'.length;

/** Whether something was observed, verified and committed under this id. Ids are given out in order: one look tells. */
export function isObserved({ work }: RunState, evidenceId: string): boolean {
  return vecGet(work.evidence, Number(evidenceId.slice(PREFIX)) - 1) === evidenceId;
}

/** What the run was given as trusted context and still rests on was observed before it began, and counts as well. */
export function isCommitted(state: RunState, evidenceId: string): boolean {
  return isObserved(state, evidenceId) || Object.values(state.work.evidenceByType).includes(evidenceId);
}
