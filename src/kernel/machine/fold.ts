import type { Effect } from '../../model/events/effect.ts';
import type { RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { KernelEnv } from '../env.ts';
import type { RunState } from '../state/run-state.ts';
import { initialState } from '../transition/initial-state.ts';
import { type Step, step } from './step.ts';

/** One folded frame: the state after it and the effects it requested. */
interface FoldedFrame {
  readonly frame: Frame;
  readonly events: readonly RunEvent[];
  readonly state: RunState;
  /** The requested effects. None of them is performed. */
  readonly effects: readonly Effect[];
}

export function foldFrame(env: KernelEnv, before: RunState, frame: Frame): FoldedFrame {
  const events = frameEvents(frame);
  const effects: Effect[] = [];
  let state = before;
  for (const event of events) {
    const [next, requested] = foldEvent(env, state, frame, event);
    state = next;
    for (const effect of requested) effects.push(effect);
  }
  return { frame, events, state, effects };
}

/** Folds the frames of a run from the first. It returns only the state, so a resume collects no effects. */
export function foldFrames(env: KernelEnv, frames: readonly Frame[]): RunState {
  let state = initialState(env);
  for (const frame of frames) for (const event of frameEvents(frame)) state = foldEvent(env, state, frame, event)[0];
  return state;
}

/** Folds one event of a stored frame. Throws `replay_divergence` if the kernel refuses the event. */
export function foldEvent(env: KernelEnv, before: RunState, { seq }: Pick<Frame, 'seq'>, event: RunEvent): Step {
  const transition = step(env, before, event);
  const fault = transition[2];
  if (fault === undefined) return transition;
  // This process lacks a guard of the run. The journal itself is not damaged.
  if (fault.code === 'version_changed') throw fault;
  throw new Fault('replay_divergence', `frame ${seq}: ${event.type} is refused: ${fault.message}`);
}
