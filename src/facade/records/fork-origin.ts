import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Journal } from '../../ports/journal.ts';
import { named } from '../../session/given.ts';

/** Where a fork began. */
export interface ForkOrigin {
  readonly runId: string;
  /** The checkpoint right before whose verdict it begins. */
  readonly checkpointId: string;
  /** Nothing it does reaches the world. */
  readonly simulated: boolean;
}

/**
 * A fork has its parent's past in its own journal, so its first frame is about another run: of any other run nothing
 * more than that one frame is read. Its own beginning is the last one that is recorded.
 */
export async function forkOrigin(journal: Pick<Journal, 'first' | 'load'>, runId: string): Promise<ForkOrigin | null> {
  const first = await journal.first(named(runId));
  if (first === null) throw new Fault('session_not_found', `there is no session ${runId}`);
  if (isOwn(eventsOf(first), runId)) return null;
  const forked = (await journal.load(runId)).flatMap(eventsOf).findLast((event) => event.type === 'run_forked');
  if (forked === undefined) return null;
  const { run_id, checkpoint_id } = forked.parent;
  return { runId: run_id, checkpointId: checkpoint_id, simulated: forked.simulate };
}

const eventsOf = ({ events }: { readonly events: string }): readonly RunEvent[] => JSON.parse(events) as RunEvent[];

const isOwn = (events: readonly RunEvent[], runId: string): boolean =>
  events.some((event) => event.type === 'goal_received' && event.run_id === runId);
