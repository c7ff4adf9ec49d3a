import type { Effect } from '../../model/events/effect.ts';
import { pinsText, samePins } from '../../model/evidence/context.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { KernelEnv } from '../env.ts';
import { resendInFlight } from '../flow/people/resume-work.ts';
import { isObserved } from '../query/evidence/committed.ts';
import { assertDecider, assertProof, withSignature } from '../query/gate/decider.ts';
import { workOfParent } from '../query/rollback/made-effects.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { OperatorNote } from '../state/people-state.ts';
import type { RunState, SessionState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reacts } from '../transition/reaction.ts';
import { isAtNode } from '../transition/walk.ts';
import { withContext } from './intake.ts';

/** Limits the notes that a planner has to read. */
const NOTES_MAX = 100;

const NO_NOTES: readonly OperatorNote[] = Object.freeze([]);

/** The notes of operators to the planner, oldest first. They are not evidence. */
const notesFor = ({ people }: RunState): readonly OperatorNote[] => people.notes ?? NO_NOTES;

/** Adds a note for the next planner request. Work in progress is not affected. */
export const onRunSteered: Reacts<'run_steered'> = (_env, state, { by, note, proof, at }) => {
  assertDecider(state, 'run_steered', by);
  assertProof(state, by, proof);
  const notes = notesFor(state);
  if (notes.length >= NOTES_MAX) throw impossibleEvent(`a session is given at most ${NOTES_MAX} notes`, state);
  const signed = withSignature(state, proof);
  return [{ ...signed, people: { ...signed.people, notes: [...notes, { by, text: note, at }] } }, NO_EFFECTS];
};

/** Moves a session to another pack or snapshot. Its other pins stay. */
export const onRunMigrated: Reacts<'run_migrated'> = (_env, state, event) => {
  const { manifest } = state;
  if (manifest === null) throw impossibleEvent('a migration of a session that has no pins yet', state);
  assertDecider(state, 'run_migrated', event.by);
  assertProof(state, event.by, event.proof);
  if (!samePins(manifest, event.from)) {
    throw new Fault('pin_immutable', `the session is pinned to ${pinsText(manifest)}, not to ${pinsText(event.from)}`);
  }
  if (samePins(event.from, event.to)) throw new Fault('pin_immutable', 'there is nothing to migrate to');
  const signed = withSignature(state, event.proof);
  const { pack_pin, snapshot_pin } = event.to;
  return [
    {
      ...signed,
      manifest: { ...manifest, pack_pin, snapshot_pin, memory_snapshot: event.memory_snapshot },
      intake: withContext(signed.intake, event),
      planning: event.untrusted_context === undefined ? signed.planning : { ...signed.planning, exposed: true },
      work: { ...signed.work, evidenceByType: { ...event.evidence, ...observedOnly(signed) } },
    },
    NO_EFFECTS,
  ];
};

/** Records that an operator takes over a session from its process, before the takeover happens. */
export const onRunTakenOver: Reacts<'run_taken_over'> = (_env, state, { by, proof }) => {
  assertDecider(state, 'run_taken_over', by);
  assertProof(state, by, proof);
  return [withSignature(state, proof), NO_EFFECTS];
};

/** Drops evidence of the old context and keeps evidence that the run observed itself. */
function observedOnly(state: RunState): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(state.work.evidenceByType).filter(([, id]) => isObserved(state, id)));
}

/** Requests the effects in flight again after another process took over, as far as that is harmless. */
export const onRunReloaded: Reacts<'run_reloaded'> = (env, state) => {
  const isWaiting =
    state.session.status === 'paused' && state.ending.inFlight !== null && state.ending.stops.length === 0;
  return isWaiting ? [markForResend(state), NO_EFFECTS] : resendInFlight(env, state);
};

/** A paused run sends nothing, so the effect is sent again when the run continues. */
const markForResend = (state: RunState): RunState => ({ ...state, ending: { ...state.ending, resendOnResume: true } });

/**
 * Forks a run from right before a verdict, which is rendered again. Unused approvals stay with the parent, and the time
 * since does not count for the fork. Unless it is simulated, the fork neither compensates nor repeats calls of the
 * parent.
 */
export const onRunForked: Reacts<'run_forked'> = (env, state, event) => {
  const { run_id: runId, trace_id: traceId, parent, simulate, answers } = event;
  const due = verdictDue(env, state);
  if (due === null) throw impossibleEvent('a fork where no verdict is due', state);
  if (state.id.runId === runId) throw impossibleEvent('a fork of itself', state);
  const forked: RunState = {
    ...state,
    id: { ...state.id, runId, traceId },
    session: shiftSession(state.session, event.at - parent.at, event.at),
    manifest: state.manifest === null ? null : { ...state.manifest, run_id: runId },
    people: { ...state.people, grants: [] },
    work: simulate ? state.work : workOfParent(state.work),
    fork: { parent: parent.run_id, simulate, answers: answers ?? {} },
  };
  return [forked, [due]];
};

/** The verdict that is rendered next. Null if the run is busy or waits. */
export function verdictDue(env: KernelEnv, state: RunState): Effect | null {
  const { ending, people, planning, current } = state;
  const isBusy = ending.inFlight !== null || ending.closing || ending.rollback !== undefined;
  const isWaiting = people.gates.length > 0 || people.question !== null || people.escalation !== null;
  if (isBusy || isWaiting || state.lanes !== undefined || state.laneContext !== undefined) return null;
  if (current?.rung === 'committed') return { kind: 'judge_step', step_id: current.stepId };
  if (current !== null || planning.proposal === null || !isAtNode(env, state, 'plan_validation')) return null;
  return { kind: 'verify_plan', proposal: planning.proposal };
}

function shiftSession(session: SessionState, byMs: number, now: number): SessionState {
  return {
    ...session,
    startedAt: session.startedAt + byMs,
    deadlineAt: session.deadlineAt === null ? null : session.deadlineAt + byMs,
    expiresAt: Math.min(session.expiresAt + byMs, Number.MAX_SAFE_INTEGER),
    lastSeen: now,
  };
}
