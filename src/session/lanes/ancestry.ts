import { type RunState, whyLaneStopped } from '../../kernel/index.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Address } from '../../model/json/hash.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { Projections, RunHead } from '../../ports/journal/rows.ts';

/** The runs above a lane, read for one of its intents. */
export interface Ancestry extends Required<Pick<Projections, 'above' | 'through'>> {
  /** The fault with which a run above the lane refuses the intent; null if all of them permit it. */
  readonly refused: Fault | null;
}

/** Reads the runs above a lane. A lane that is ending may still undo what it did, so only its parent's end counts. */
export type ReadAncestry = (lane: RunState) => Promise<Ancestry>;

interface AncestryDeps {
  readonly journal: Pick<Journal, 'list'>;
  /** Loads the recorded state of a run of this agent. */
  readonly loadState: (agent: string, runId: string) => Promise<RunState>;
}

interface ReadRun {
  readonly head: Address;
  readonly state: RunState;
}

/** The number of runs above lanes whose states are kept, so that they are loaded only after they have changed. */
const KEPT_MAX = 100;

export function ancestryReader({ journal, loadState }: AncestryDeps): ReadAncestry {
  const kept = new Map<string, ReadRun>();
  const read = async (runId: string): Promise<ReadRun> => {
    const [row] = await journal.list({ session: runId, limit: 1 });
    if (row === undefined) throw new Fault('lane_parent_ended', `the parent run ${runId} is not in the store`);
    const known = kept.get(runId);
    if (known?.head === row.head_hash) return known;
    const fresh = { head: row.head_hash, state: await loadState(row.agent, runId) };
    kept.delete(runId);
    kept.set(runId, fresh);
    if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value ?? '');
    return fresh;
  };
  return async (lane) => {
    const above: RunHead[] = [];
    const through: string[] = [];
    let refused: Fault | null = null;
    for (let run = lane; run.laneContext !== undefined; ) {
      const { parent_run_id, tool } = run.laneContext;
      const { head, state } = await read(parent_run_id);
      above.push({ session_id: parent_run_id, head_hash: head });
      through.push(tool);
      const stop = whyLaneStopped(state, run);
      if (stop !== null) refused ??= new Fault(stop.code, stop.message);
      run = state;
    }
    return lane.ending.stops.length > 0 ? { above: [], through, refused: null } : { above, through, refused };
  };
}

/**
 * Returns whether a run above this one is paused. A server leaves such a lane alone, because its calls are refused until
 * that run goes on.
 */
export async function isPausedAbove(journal: Pick<Journal, 'first' | 'list'>, session: string): Promise<boolean> {
  for (let run = session; ; ) {
    const first = await journal.first(run);
    const goal = first === null ? undefined : frameEvents(first).find((event) => event.type === 'goal_received');
    if (goal?.lane === undefined) return false;
    run = goal.lane.parent_run_id;
    const [row] = await journal.list({ session: run, limit: 1 });
    if (row === undefined || row.terminal_code !== null) return false;
    if (row.status === 'paused') return true;
  }
}
