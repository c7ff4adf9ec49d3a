import { PHASE_NAMES, PHASES, type PhaseName } from '../../../src/model/plan/phase.ts';
import type { PhaseRecord } from '../../../src/record/phases.ts';

/** Phases that a run may skip. */
const CONDITIONAL: ReadonlySet<PhaseName> = new Set<PhaseName>(['reflection_trigger', 'escalation_check']);

/** Escalation and the end of a run, which can follow any phase. */
const ANYTIME: ReadonlySet<PhaseName> = new Set<PhaseName>(['escalation_check', 'trace_logging']);

const REPEATABLE: ReadonlySet<PhaseName> = new Set(
  PHASES.filter(({ repeatable }) => repeatable).map(({ name }) => name),
);

/** Phases that restart the action cycle: for the next call, or for the same work under a repaired plan. */
const BEGINS_AGAIN: ReadonlySet<PhaseName> = new Set<PhaseName>(['tool_eligibility', 'reflection_trigger']);

const placeOf = (phase: PhaseName): number => PHASE_NAMES.indexOf(phase);

/** The first phase out of order, and why; null if the order is legal. */
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
  // After an escalation the run may plan, continue or finish.
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
