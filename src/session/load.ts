import type { KernelEnv } from '../kernel/env.ts';
import { initialState } from '../kernel/initial-state.ts';
import type { RunState } from '../kernel/state.ts';
import { step } from '../kernel/step.ts';
import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Frame } from '../model/frame.ts';
import type { Journal } from '../ports/journal.ts';
import { BEGINNING, type Place } from './journal-writer.ts';

export interface Loaded {
  readonly state: RunState;
  readonly place: Place;
}

/** Everything that happened in a run. */
export async function framesOf(journal: Pick<Journal, 'load'>, session: string): Promise<readonly Frame[]> {
  const frames = await journal.load(session);
  if (frames.length === 0) throw new Fault('session_not_found', `there is no session ${session}`);
  return frames;
}

/** Brings a run back by folding what happened. No effect is performed. */
export function foldRun(env: KernelEnv, frames: readonly Frame[]): Loaded {
  let state = initialState(env);
  let place = BEGINNING;
  for (const frame of frames) {
    state = foldFrame(env, state, frame);
    place = { seq: frame.seq, head: frame.hash };
  }
  return { state, place };
}

function foldFrame(env: KernelEnv, before: RunState, frame: Frame): RunState {
  let state = before;
  for (const event of JSON.parse(frame.events) as readonly RunEvent[]) {
    const [next, , fault] = step(env, state, event);
    if (fault !== undefined) {
      throw new Fault('replay_divergence', `frame ${frame.seq}: ${event.type} is refused: ${fault.message}`);
    }
    state = next;
  }
  return state;
}
