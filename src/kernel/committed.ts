import type { RunState } from './state.ts';
import { vecGet } from './vec.ts';

/** Whether something was observed, verified and committed under this id. Ids are given out in order: one look tells. */
export function isCommitted(state: RunState, evidenceId: string): boolean {
  const place = /^ev_(\d+)$/.exec(evidenceId)?.[1];
  return place !== undefined && vecGet(state.work.evidence.items, Number(place) - 1) === evidenceId;
}
