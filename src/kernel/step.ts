import type { Effect } from '../model/effect.ts';
import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { closeIfDue } from './closing.ts';
import type { KernelEnv } from './env.ts';
import { HANDLERS, type Handler } from './handlers.ts';
import type { RunState } from './state.ts';

/** The next state and what is wanted of the world; a fault, if the event was refused, and then the state is the same object. */
export type Step = readonly [next: RunState, effects: readonly Effect[], fault?: Fault];

/**
 * The whole of a run's behaviour. Pure and total: it reads no clock, calls nothing, mutates nothing, and answers
 * every event, an impossible one with a fault and an untouched state.
 */
export function step(env: KernelEnv, state: RunState, event: RunEvent): Step {
  const handler: Handler | undefined = Object.hasOwn(HANDLERS, event.type) ? HANDLERS[event.type] : undefined;
  if (handler === undefined) return refused(state, new Fault('event_invalid', `unknown event "${String(event.type)}"`));
  if (state.ending.terminal !== null) {
    return refused(state, new Fault('session_terminal', `the run ended with ${state.ending.terminal.code}`));
  }
  if (!(event.at >= state.now)) {
    return refused(state, new Fault('time_went_backwards', `${event.type} at ${event.at} is before ${state.now}`));
  }
  try {
    const position = state.position.moves.length === 0 ? state.position : { ...state.position, moves: NO_MOVES };
    const [next, effects] = handler(env, { ...state, now: event.at, seq: state.seq + 1, position }, event);
    return closeIfDue(env, next, effects);
  } catch (error) {
    return refused(state, Fault.is(error) ? error : new Fault('internal', String(error), { cause: error }));
  }
}

const NO_MOVES: readonly string[] = Object.freeze([]);

function refused(state: RunState, fault: Fault): Step {
  return [state, [], fault];
}
