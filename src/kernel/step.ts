import type { Effect } from '../model/effect.ts';
import type { RunEvent } from '../model/event.ts';
import { missingField, parseEvent } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import { pointerToken } from '../model/pointer.ts';
import { reasonOf } from '../model/printable.ts';
import { closeIfDue } from './closing.ts';
import type { KernelEnv } from './env.ts';
import { type Handler, handlerFor } from './handlers.ts';
import type { RunState } from './state.ts';

/** The next state and what is wanted of the world; a fault, if the event was refused, and then the state is the same object. */
export type Step = readonly [next: RunState, effects: readonly Effect[], fault?: Fault];

/**
 * The whole of a run's behaviour. Pure and total: it reads no clock, calls nothing, mutates nothing, and answers
 * every event, an impossible one with a fault and an untouched state.
 */
export function step(env: KernelEnv, state: RunState, event: RunEvent): Step {
  try {
    const handler = handlerOf(state, event);
    assertPossible(state, event);
    const position = state.position.moves === null ? state.position : { ...state.position, moves: null };
    const reaction = handler(env, { ...state, now: event.at, seq: state.seq + 1, position }, event);
    return closeIfDue(env, reaction[0], reaction[1]);
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

/** Where a handler breaks, the event is held to its schema: only one that fits it is our own mistake. */
function brokenBy(event: RunEvent, cause: unknown): Fault {
  try {
    parseEvent(event);
    return new Fault('internal', reasonOf(cause), { cause });
  } catch (error) {
    return Fault.is(error) ? error : new Fault('event_invalid', reasonOf(error), { cause: error });
  }
}
