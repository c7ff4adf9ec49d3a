import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Frame } from '../model/frame.ts';
import type { Journal } from '../ports/journal.ts';
import { named } from './given.ts';

/** What a run left in the journal, frame by frame and event by event. */
export interface RunReader {
  frames(runId: string): Promise<readonly Frame[]>;
  events(runId: string): Promise<readonly RunEvent[]>;
}

export function runReader(journal: Pick<Journal, 'load'>): RunReader {
  const frames = async (runId: string): Promise<readonly Frame[]> => {
    const found = await journal.load(named(runId));
    if (found.length === 0) throw new Fault('session_not_found', `there is no session ${runId}`);
    return found;
  };
  return {
    frames,
    events: async (runId) => (await frames(runId)).flatMap(({ events }) => JSON.parse(events) as RunEvent[]),
  };
}
