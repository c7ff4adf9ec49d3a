import type { RunState } from './state.ts';
import { vecGet } from './vec.ts';

/** Whether something was observed, verified and committed under this id. Ids are given out in order: one look tells. */
export function isObserved({ work }: RunState, evidenceId: string): boolean {
  const place = /^ev_(\d+)$/.exec(evidenceId)?.[1];
  return place !== undefined && vecGet(work.evidence, Number(place) - 1) === evidenceId;
}

/** What the run was given as trusted context and still rests on was observed before it began, and counts as well. */
export function isCommitted(state: RunState, evidenceId: string): boolean {
  return isObserved(state, evidenceId) || Object.values(state.work.evidenceByType).includes(evidenceId);
}
