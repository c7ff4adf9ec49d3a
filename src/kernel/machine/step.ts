import type { Effect } from '../../model/events/effect.ts';
import type { RunEvent } from '../../model/events/event.ts';
import { missingField } from '../../model/events/event-fields.ts';
import { parseEvent } from '../../model/events/event-schema.ts';
import { Fault } from '../../model/fault/fault.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { envAt, type KernelEnv } from '../env.ts';
import type { RunState } from '../state/run-state.ts';
import { closeIfDue } from '../transition/close-if-due.ts';
import { type Handler, handlerFor } from './handler-table.ts';

/** The next state and its effects. If the event was refused: a fault, and the same state object. */
export type Step = readonly [next: RunState, effects: readonly Effect[], fault?: Fault];

/**
 * The pure and total step function of a run. It reads no clock, calls nothing and mutates nothing. An impossible event
 * returns a fault and the same state.
 */
export function step(env: KernelEnv, state: RunState, event: RunEvent): Step {
  try {
    const handler = handlerOf(state, event);
    assertPossible(state, event);
    const position = state.position.moves === null ? state.position : { ...state.position, moves: null };
    const current = envAt(env, state);
    const reaction = handler(current, { ...state, now: event.at, seq: state.seq + 1, position }, event);
    return closeIfDue(envAt(env, reaction[0]), reaction[0], reaction[1]);
  } catch (error) {
    return [state, [], Fault.is(error) ? error : brokenBy(event, error)];
  }
}

function handlerOf(state: RunState, event: RunEvent | null): Handler {
  const type = event?.type;
  const handler = typeof type === 'string' ? handlerFor(state, type) : undefined;
  if (handler !== undefined) return handler;
  throw new Fault('event_invalid', `unknown event ${typeof type === 'string' ? JSON.stringify(type) : typeof type}`);
}

function assertPossible({ ending, now }: RunState, event: RunEvent): void {
  const { type, at } = event;
  if (ending.terminal !== null) throw new Fault('session_terminal', `the run ended with ${ending.terminal.code}`);
  if (!Number.isSafeInteger(at)) {
    throw new Fault('event_invalid', `${type} does not say when it happened`, { path: '/at' });
  }
  if (at < now) throw new Fault('time_went_backwards', `${type} at ${at} is before ${now}`);
  const missing = missingField(event);
  if (missing !== null) {
    throw new Fault('event_invalid', `${type} does not say its ${missing}`, { path: pointerToken(missing) });
  }
}

/** The fault after an exception in a handler: invalid if the event does not match its schema, otherwise internal. */
function brokenBy(event: RunEvent, cause: unknown): Fault {
  try {
    parseEvent(event);
    return new Fault('internal', reasonOf(cause), { cause });
  } catch (error) {
    return Fault.is(error) ? error : new Fault('event_invalid', reasonOf(error), { cause: error });
  }
}
