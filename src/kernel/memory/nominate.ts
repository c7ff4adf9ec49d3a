import type { Json } from '../../model/json.ts';
import { MemoryNomination } from '../../model/memory.ts';
import type { Reaction } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { violation } from '../violation.ts';

/** What a model calls it when it wants something remembered. It is none of the things that it may propose. */
export const MEMORY_WRITE = 'memory_write';

const NOMINATIONS_MAX = 20;

/**
 * A model that writes to memory is refused, and that is on record. What it wanted to write is kept with the run as a
 * nomination where it names its sources, and is looked at after the answer; where it names none it is put away, and
 * nothing of this run ever reads it.
 */
export function nominate(state: RunState, payload: Json): Reaction {
  if (state.manifest?.autonomy_boundary.state_writes.persistent_memory === 'refused') {
    return [state, [violation('state_write', MEMORY_WRITE, 'the boundary lets nothing be remembered')]];
  }
  const { data } = MemoryNomination.safeParse(payload);
  if (data === undefined) {
    return [state, [violation('state_write', MEMORY_WRITE, 'quarantined: it names no source, or is no memory')]];
  }
  const nominated = state.work.nominated ?? [];
  if (nominated.length >= NOMINATIONS_MAX) {
    return [state, [violation('state_write', MEMORY_WRITE, `a run nominates at most ${NOMINATIONS_MAX} memories`)]];
  }
  const kept: RunState = { ...state, work: { ...state.work, nominated: [...nominated, data] } };
  return [kept, [violation('state_write', MEMORY_WRITE, 'a model writes no memory: it was taken as a nomination')]];
}
