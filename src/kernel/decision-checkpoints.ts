import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';

/**
 * A decision checkpoint after this step: every kind of evidence its decision demands must be there by now.
 * Returns what happens instead of going on, or null if nothing stands in the way.
 */
export function checkDecisions(env: KernelEnv, state: RunState, index: number): Reaction | null {
  for (const checkpoint of state.planning.active?.index.checkpointsAfter.get(index) ?? []) {
    const demanded = env.catalog.get(checkpoint.decision_id)?.evidence;
    const missing = demanded?.filter((type) => !Object.hasOwn(state.work.evidenceByType, type));
    if (missing !== undefined && missing.length === 0) continue;
    return escalateRun(env, state, 'validation_failed', {
      code: 'VALIDATION_FAIL',
      reason: 'evidence_missing',
      detail: { decision_id: checkpoint.decision_id, missing: missing ?? ['the decision itself'] },
    });
  }
  return null;
}
