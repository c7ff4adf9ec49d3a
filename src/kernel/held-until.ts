import type { EventOf } from '../model/event.ts';
import { stillOutUntil } from './doubt.ts';
import type { CurrentStep, RunState } from './state.ts';
import { againFrom } from './twin.ts';

/** From when on a call that is let pass may be sent: what a person let pass all the same waits until it can be no mistake. */
export const heldUntil = (
  state: RunState,
  current: CurrentStep,
  { not_before = 0 }: Pick<EventOf<'step_cleared'>, 'not_before'>,
): number => Math.max(current.notBefore, not_before, stillOutUntil(state, current), againFrom(state, current));
