import type { Effect } from '../../model/events/effect.ts';
import type { EventOf, EventType } from '../../model/events/event.ts';
import type { KernelEnv } from '../env.ts';
import type { RunState } from '../state/run-state.ts';

/** The next state and the effects of one event. */
export type Reaction = readonly [next: RunState, effects: readonly Effect[]];

/** The handler of one event type. Throws a Fault if the event is impossible. */
export type Reacts<T extends EventType> = (env: KernelEnv, state: RunState, event: EventOf<T>) => Reaction;

export const NO_EFFECTS: readonly Effect[] = Object.freeze([]);
