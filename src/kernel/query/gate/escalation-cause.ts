import type { Stop } from '../../../model/fault/terminal-code.ts';
import type { EscalationTrigger } from '../../../model/gate/escalation.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import type { OpenConflict } from '../../state/stated-facts.ts';

/** An escalation before it is recorded. `refs` are ids that the recipient has to inspect. */
export interface PlannedEscalation {
  readonly trigger: EscalationTrigger;
  readonly stop: Stop;
  readonly refs: readonly string[];
}

/** Provider failures that a new request would not fix. For an overloaded provider, the client has already waited. */
export const PROVIDER_FAILURES: ReadonlySet<string> = new Set([
  'model_rejected',
  'model_misconfigured',
  'model_overloaded',
  'version_changed',
]);

/** The conflict of sources that the run has not resolved; null if there is none, or if it has new evidence since. */
export function openConflict({ work }: RunState): OpenConflict | null {
  const { conflict, evidence } = work;
  return conflict !== undefined && conflict.known === evidence.size ? conflict : null;
}

/**
 * Names the cause of an escalation. A run that finds no further source for an open conflict is handed over because of
 * the conflict (ADR 0120).
 */
export function byCause(state: RunState, planned: PlannedEscalation): PlannedEscalation {
  const conflict = openConflict(state);
  const isSearching = state.people.decision !== 'finish';
  if (conflict === null || !isSearching || !endsSearch(planned.stop)) return planned;
  const { stop } = planned;
  const { disputed } = state.work;
  const blocker = stop.detail?.['message'];
  const detail = {
    evidence: disputed,
    message: conflict.message,
    cause: stop.reason,
    ...(typeof blocker === 'string' ? { blocker } : {}),
  };
  return {
    trigger: 'source_conflict',
    stop: { code: 'SOURCE_CONFLICT', reason: 'source_conflict', detail },
    refs: disputed,
  };
}

/** Whether a step failed because of an invalid answer of its tool. Recorded runs count fewer answers as invalid. */
export const isInvalidAnswer = (state: RunState, code: string): boolean =>
  code === 'tool_result_invalid' || (hasRule(state, 'ends_by_cause') && (code === 'malformed' || code === 'empty'));

/** Whether the run stops because it found no way to another source: not because of a limit, a denial or an outage. */
function endsSearch({ code, reason, detail }: Stop): boolean {
  if (code === 'UNAVAILABLE_DEP') return detail?.['dependency'] === 'planner' && !PROVIDER_FAILURES.has(reason);
  return code === 'REPEATED_FAILURE' || code === 'VALIDATION_FAIL';
}
