import { Fault } from '../model/fault.ts';
import { isObserved } from './committed.ts';
import { assertDecider, assertProof, withSignature } from './decider.ts';
import { withContext } from './on-intake.ts';
import type { OperatorNote } from './people-state.ts';
import { pinsText, samePins } from './pins.ts';
import { impossible, NOTHING, type Reacts } from './reaction.ts';
import type { RunState } from './state.ts';

/** Whoever plans has to be able to read them all. */
const NOTES_MAX = 100;

const NO_NOTES: readonly OperatorNote[] = Object.freeze([]);

/** What operators have said to whoever plans, oldest first. It is their word: no evidence, and nothing was observed by it. */
export const notesFor = ({ people }: RunState): readonly OperatorNote[] => people.notes ?? NO_NOTES;

/** What is under way stays as it is: a plan is asked for after a verdict, and the next one that is hears of the note. */
export const onRunSteered: Reacts<'run_steered'> = (_env, state, { by, note, proof, at }) => {
  assertDecider(state, 'run_steered', by);
  assertProof(state, by, proof);
  const notes = notesFor(state);
  if (notes.length >= NOTES_MAX) throw impossible(`a session is given at most ${NOTES_MAX} notes`, state);
  const signed = withSignature(state, proof);
  return [{ ...signed, people: { ...signed.people, notes: [...notes, { by, text: note, at }] } }, NOTHING];
};

/** Takes a session to another pack or snapshot: all else that it was started under stays what it was. */
export const onRunMigrated: Reacts<'run_migrated'> = (_env, state, event) => {
  const { manifest } = state;
  if (manifest === null) throw impossible('a migration of a session that has no pins yet', state);
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
    NOTHING,
  ];
};

/** An operator has decided not to wait for the process that drives the session. It is on record before anybody does. */
export const onRunTakenOver: Reacts<'run_taken_over'> = (_env, state, { by, proof }) => {
  assertDecider(state, 'run_taken_over', by);
  assertProof(state, by, proof);
  return [withSignature(state, proof), NOTHING];
};

/** What the context before brought along is not what the other one says; what the run has seen itself stays. */
function observedOnly(state: RunState): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(state.work.evidenceByType).filter(([, id]) => isObserved(state, id)));
}
