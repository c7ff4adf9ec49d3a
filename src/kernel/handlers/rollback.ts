import type { EventType } from '../../model/events/event.ts';
import type { Reacts } from '../transition/reaction.ts';
import { onDecisionRefused, onGateDecided, onGateOpened } from './gate.ts';
import { onInfoProvided } from './gate-info.ts';
import { onViolationNoted } from './model.ts';
import { onRunEscalated } from './people.ts';
import { onRunTakenOver } from './session.ts';
import { onAnswerCameLate } from './step.ts';
import { onUndoObserved, onUndoProbed, onUndoReconciled, onUndoReloaded } from './undo-answers.ts';
import {
  onCompensationProposed,
  onStepCompensated,
  onUndoAttempted,
  onUndoCleared,
  onUndoRefused,
  onUndoStopped,
  onUndoTimePassed,
} from './undo-call.ts';

/** The handlers of a run during a rollback. All other events are refused. */
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
  // Escalations from before the rollback are recorded.
  run_escalated: onRunEscalated,
  violation_noted: onViolationNoted,
  run_taken_over: onRunTakenOver,
  run_reloaded: onUndoReloaded,
  time_passed: onUndoTimePassed,
  stop_raised: onUndoStopped,
};
