import type { EventType } from '../../model/event.ts';
import { onInfoProvided } from '../gate-info.ts';
import { onAnswerCameLate } from '../on-call.ts';
import { onDecisionRefused, onGateDecided, onGateOpened } from '../on-gate.ts';
import { onViolationNoted } from '../on-model.ts';
import { onRunEscalated } from '../on-people.ts';
import { onRunTakenOver } from '../on-session.ts';
import type { Reacts } from '../reaction.ts';
import { onUndoStopped, onUndoTimePassed } from './on-rollback-over.ts';
import { onCompensationProposed, onStepCompensated, onUndoAttempted, onUndoCleared, onUndoRefused } from './on-undo.ts';
import { onUndoObserved, onUndoProbed, onUndoReconciled, onUndoReloaded } from './on-undone.ts';

/** All that can happen to a run while it takes back what it did. Whatever is not here is refused until it has ended. */
export const ROLLBACK_HANDLERS: { readonly [T in EventType]?: Reacts<T> } = {
  compensation_proposed: onCompensationProposed,
  step_cleared: onUndoCleared,
  step_refused: onUndoRefused,
  step_attempted: onUndoAttempted,
  step_observed: onUndoObserved,
  answer_came_late: onAnswerCameLate,
  call_reconciled: onUndoReconciled,
  step_probed: onUndoProbed,
  step_compensated: onStepCompensated,
  gate_opened: onGateOpened,
  gate_decided: onGateDecided,
  info_provided: onInfoProvided,
  decision_refused: onDecisionRefused,
  // What was handed over on the way to the end is on record, whatever is taken back afterwards.
  run_escalated: onRunEscalated,
  violation_noted: onViolationNoted,
  run_taken_over: onRunTakenOver,
  run_reloaded: onUndoReloaded,
  time_passed: onUndoTimePassed,
  stop_raised: onUndoStopped,
};
