import type { KernelEnv } from '../../kernel/env.ts';
import { initialState } from '../../kernel/initial-state.ts';
import type { RunState } from '../../kernel/state.ts';
import { step } from '../../kernel/step.ts';
import { canonicalize } from '../../model/canonical.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import type { Json } from '../../model/json.ts';

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

/** A state as one text, so that two of them can be compared whole, whatever way they came about. */
export function stateText(state: RunState): string {
  return canonicalize(plain(state));
}

function plain(value: unknown): Json {
  if (value instanceof Map) return [...value].map(([key, entry]) => [plain(key), plain(entry)]);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value as Json;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.map(([key, entry]) => [key, plain(entry)]));
}
