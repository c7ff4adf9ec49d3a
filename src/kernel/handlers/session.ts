import type { EventOf } from '../../model/events/event.ts';
import { pinsText, samePins } from '../../model/evidence/context.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { RunManifest } from '../../model/run/manifest.ts';
import { resendInFlight } from '../flow/people/resume-work.ts';
import { isObserved } from '../query/evidence/committed.ts';
import { assertDecider, assertProof, withSignature } from '../query/gate/decider.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { OperatorNote } from '../state/people-state.ts';
import type { RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reacts } from '../transition/reaction.ts';
import { withContext } from './intake.ts';
import { migrateTools } from './migrate-tools.ts';

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

/** Moves a session to another pack or snapshot, or to newer tools. Its other pins stay. */
export const onRunMigrated: Reacts<'run_migrated'> = (env, state, event) => {
  const { manifest } = state;
  const { from, to, tools } = event;
  if (manifest === null) throw impossibleEvent('a migration of a session that has no pins yet', state);
  assertDecider(state, 'run_migrated', event.by);
  assertProof(state, event.by, event.proof);
  if (!samePins(manifest, from)) {
    throw new Fault('pin_immutable', `the session is pinned to ${pinsText(manifest)}, not to ${pinsText(from)}`);
  }
  if (samePins(from, to) && tools === undefined) throw new Fault('pin_immutable', 'there is nothing to migrate to');
  const signed = withSignature(state, event.proof);
  const moved = samePins(from, to) ? signed : migrateContext(signed, manifest, event);
  return tools === undefined ? [moved, NO_EFFECTS] : migrateTools(env, moved, tools);
};

function migrateContext(state: RunState, manifest: RunManifest, event: EventOf<'run_migrated'>): RunState {
  const { pack_pin, snapshot_pin } = event.to;
  return {
    ...state,
    manifest: { ...manifest, pack_pin, snapshot_pin, memory_snapshot: event.memory_snapshot },
    intake: withContext(state.intake, event),
    planning: event.untrusted_context === undefined ? state.planning : { ...state.planning, exposed: true },
    work: { ...state.work, evidenceByType: { ...event.evidence, ...observedOnly(state) } },
  };
}

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
