import { PHASE_NAMES, PHASES, type PhaseName } from '../model/phase.ts';
import type { PhaseRecord } from './phases.ts';

/** Phases that only happen when there is a reason for them. */
const CONDITIONAL: ReadonlySet<PhaseName> = new Set<PhaseName>(['reflection_trigger', 'escalation_check']);

/** Where a run is handed over, and where it ends: both can follow on anything. */
const ANYTIME: ReadonlySet<PhaseName> = new Set<PhaseName>(['escalation_check', 'trace_logging']);

const REPEATABLE: ReadonlySet<PhaseName> = new Set(
  PHASES.filter(({ repeatable }) => repeatable).map(({ name }) => name),
);

/** With these the action cycle starts over: the next call, or the same work under a mended plan. */
const BEGINS_AGAIN: ReadonlySet<PhaseName> = new Set<PhaseName>(['tool_eligibility', 'reflection_trigger']);

const placeOf = (phase: PhaseName): number => PHASE_NAMES.indexOf(phase);

/** The first phase that came where it could not, and why; null for a run that went through them in order. */
export function phaseOutOfOrder(
  records: readonly PhaseRecord[],
): { readonly index: number; readonly why: string } | null {
  let last: PhaseRecord | null = null;
  for (const [index, next] of records.entries()) {
    const why = last === null ? opening(next) : follows(last, next);
    if (why !== null) return { index, why };
    last = next;
  }
  return null;
}

const opening = ({ phase }: PhaseRecord): string | null =>
  phase === 'goal_intake' ? null : `${phase} came before there was a goal`;

function follows(last: PhaseRecord, next: PhaseRecord): string | null {
  if (last.phase === 'trace_logging') return `${next.phase} came after the trace was closed`;
  if (ANYTIME.has(next.phase)) return null;
  // Whoever was handed the run may let it plan, go on or finish.
  if (last.phase === 'escalation_check' && placeOf(next.phase) >= placeOf('plan_selection')) return null;
  const going = REPEATABLE.has(last.phase) && REPEATABLE.has(next.phase);
  if (going && BEGINS_AGAIN.has(next.phase)) return null;
  if (!last.valid) {
    const again = next.phase === last.phase || next.phase === 'scope_resolution';
    return going || again ? null : `${next.phase} started although ${last.phase} had nothing to hand on`;
  }
  if (placeOf(next.phase) <= placeOf(last.phase)) return `${next.phase} came again after ${last.phase}`;
  const between = PHASE_NAMES.slice(placeOf(last.phase) + 1, placeOf(next.phase));
  const skipped = between.filter((name) => !CONDITIONAL.has(name));
  return skipped.length === 0 ? null : `${next.phase} came without ${skipped.join(', ')}`;
}
