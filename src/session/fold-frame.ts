import type { KernelEnv } from '../kernel/env.ts';
import type { RunState } from '../kernel/state.ts';
import { step } from '../kernel/step.ts';
import type { Effect } from '../model/effect.ts';
import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Frame } from '../model/frame.ts';

/** One frame of a run, taken in again: how the run stands after it, and what it wanted of the world then. */
export interface FoldedFrame {
  readonly frame: Frame;
  readonly events: readonly RunEvent[];
  readonly state: RunState;
  /** As they were wanted. Nothing of them is performed. */
  readonly effects: readonly Effect[];
}

export function foldFrame(env: KernelEnv, before: RunState, frame: Frame): FoldedFrame {
  const events = JSON.parse(frame.events) as readonly RunEvent[];
  const effects: Effect[] = [];
  let state = before;
  for (const event of events) {
    const [next, wanted, fault] = step(env, state, event);
    if (fault !== undefined) {
      throw new Fault('replay_divergence', `frame ${frame.seq}: ${event.type} is refused: ${fault.message}`);
    }
    state = next;
    for (const effect of wanted) effects.push(effect);
  }
  return { frame, events, state, effects };
}
