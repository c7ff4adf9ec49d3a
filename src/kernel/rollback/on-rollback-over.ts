import type { Effect } from '../../model/effect.ts';
import type { EventOf } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { OpenGate } from '../people-state.ts';
import { NOTHING, type Reaction, type Reacts } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { isHeld, unsuspend } from '../suspend.ts';
import { giveUpRest, rollbackOf, settleUndo } from './walk-back.ts';

/** Nobody has decided in time, or there is no time left at all. The ending of the run is the one it had. */
export const onUndoTimePassed: Reacts<'time_passed'> = (_env, state, event) => {
  if (event.at >= state.session.expiresAt) return breakOff(state, 'session_expired');
  const expired = state.people.gates.some((open) => event.at >= open.expiresAt);
  return expired ? settleUndo(withoutGates(state), 'stands', 'gate_expired') : [state, NOTHING];
};

/** Somebody, or something, says that nothing more may happen. */
export const onUndoStopped: Reacts<'stop_raised'> = (_env, state, event) => breakOff(state, event.stop.reason);

function breakOff(state: RunState, reason: string): Reaction {
  const { inFlight } = state.ending;
  const recalled: readonly Effect[] = inFlight === null ? NOTHING : [{ kind: 'abort_flight', flight: inFlight }];
  const grounded = giveUpRest(withoutGates({ ...state, ending: { ...state.ending, inFlight: null } }));
  if (rollbackOf(grounded).at === null) return [grounded, recalled];
  const [settled, effects] = settleUndo(grounded, inFlight === null ? 'stands' : 'unknown', reason);
  return [settled, [...recalled, ...effects]];
}

/** A no leaves the effect where it is; the walk goes on with the one before it. */
export const undoRejected = (state: RunState): Reaction =>
  settleUndo(withoutGates(state), 'stands', 'approval_rejected');

/** Whoever decides says yes or no to what is there: it was derived from the effect, not chosen. */
export function undoUnsettled(state: RunState, { name }: OpenGate, { decision }: EventOf<'gate_decided'>): Reaction {
  if (decision !== 'edit') return [state, NOTHING];
  throw new Fault('event_illegal', `gate ${name} is about taking something back: approve it or reject it as it is`);
}

function withoutGates(state: RunState): RunState {
  const freed = isHeld(state.session.status) ? unsuspend(state) : state;
  return { ...freed, people: { ...freed.people, gates: [], undecided: 0 } };
}
