import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';

/** Either the run may go on, with the decisions it has now passed, or this is what happens instead. */
export type CheckpointRuling =
  | { readonly ok: true; readonly state: RunState }
  | { readonly ok: false; readonly instead: Reaction };

/** Decision checkpoints after this step: every kind of evidence their decisions demand must be there by now. */
export function passCheckpoints(env: KernelEnv, state: RunState, index: number): CheckpointRuling {
  const due = state.planning.active?.index.checkpointsAfter.get(index);
  if (due === undefined) return { ok: true, state };
  for (const { decision_id } of due) {
    const demanded = env.catalog.get(decision_id)?.evidence;
    const missing = demanded?.filter((type) => !Object.hasOwn(state.work.evidenceByType, type)) ?? [decision_id];
    if (missing.length === 0) continue;
    const detail = { decision_id, missing };
    const stop = { code: 'VALIDATION_FAIL', reason: 'evidence_missing', detail } as const;
    return { ok: false, instead: escalateRun(env, state, 'validation_failed', stop) };
  }
  const decided = [...new Set([...state.work.decided, ...due.map(({ decision_id }) => decision_id)])];
  return { ok: true, state: { ...state, work: { ...state.work, decided } } };
}
