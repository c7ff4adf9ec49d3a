import { Fault } from '../../model/fault/fault.ts';
import type { RunState } from './run-state.ts';

/** The fault for a well-formed event that cannot happen in the current state of the run. */
export function impossibleEvent(what: string, state: RunState): Fault {
  return new Fault('event_illegal', `${what} (at ${state.position.node}, ${state.session.status})`);
}
