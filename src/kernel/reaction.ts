import type { Effect } from '../model/effect.ts';
import type { EventOf, EventType } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { KernelEnv } from './env.ts';
import type { RunState } from './state.ts';

/** What one event leads to. */
export type Reaction = readonly [next: RunState, effects: readonly Effect[]];

/** How the kernel reacts to one type of event. Throws a Fault where the event is not possible. */
export type Reacts<T extends EventType> = (env: KernelEnv, state: RunState, event: EventOf<T>) => Reaction;

export const NOTHING: readonly Effect[] = Object.freeze([]);

/** The event is well formed, but the run is not where it could happen. */
export function impossible(what: string, state: RunState): Fault {
  return new Fault('event_illegal', `${what} (at ${state.position.node}, ${state.session.status})`);
}
