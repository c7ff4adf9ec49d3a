import { foldFrames, type KernelEnv, type RunState } from '../kernel/index.ts';
import type { RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Journal } from '../ports/journal/journal.ts';
import { BEGINNING, type JournalPlace } from './journal-writer.ts';
import { requireId } from './read-input.ts';

export interface Loaded {
  readonly state: RunState;
  readonly place: JournalPlace;
}

/** Loads the frames of a run. Throws `session_not_found` if there are none. */
export async function framesOf(journal: Pick<Journal, 'load'>, session: string): Promise<readonly Frame[]> {
  const frames = await journal.load(session);
  if (frames.length === 0) throw new Fault('session_not_found', `there is no session ${session}`);
  return frames;
}

/** Restores a run by folding its frames. No effect is performed. */
export function foldRun(env: KernelEnv, frames: readonly Frame[]): Loaded {
  const last = frames.at(-1);
  const place = last === undefined ? BEGINNING : { seq: last.seq, head: last.hash };
  return { state: foldFrames(env, frames), place };
}

interface RunReader {
  frames(runId: string): Promise<readonly Frame[]>;
  events(runId: string): Promise<readonly RunEvent[]>;
}

export function runReader(journal: Pick<Journal, 'load'>): RunReader {
  const frames = async (runId: string): Promise<readonly Frame[]> => await framesOf(journal, requireId(runId));
  return {
    frames,
    events: async (runId) => (await frames(runId)).flatMap(frameEvents),
  };
}
