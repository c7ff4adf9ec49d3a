import type { KernelEnv } from '../../kernel/env.ts';
import { initialState } from '../../kernel/initial-state.ts';
import type { RunState } from '../../kernel/state.ts';
import { step } from '../../kernel/step.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';

/** Brings a run back from its frames alone, as another machine would. */
export function foldFrames(env: KernelEnv, frames: readonly Frame[]): RunState {
  let state = initialState(env);
  for (const frame of frames) {
    for (const event of JSON.parse(frame.events) as readonly RunEvent[]) {
      const [next, , fault] = step(env, state, event);
      if (fault !== undefined) throw new Fault('replay_divergence', `frame ${frame.seq}: ${event.type} is refused`);
      state = next;
    }
  }
  return state;
}

/** Whether two states say the same, whatever way they came about: equal canonical JSON, without writing it out. */
export function sameState(a: RunState, b: RunState): boolean {
  return same(a, b);
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Map) return b instanceof Map && same([...a], [...b]);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  if (left.length !== Object.keys(right).length) return false;
  return left.every(([key, value]) => Object.hasOwn(right, key) && same(value, right[key]));
}
