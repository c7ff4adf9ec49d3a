import { type Ambit, Fault, type RunEvent } from '../../index.ts';
import { MADE_HERE, type Origin } from '../views/origin-view.ts';

/** Where a run comes from, as its journal and the store say. */
export async function originOf(runtime: Ambit, runId: string): Promise<Origin> {
  const note = await runtime.imported(runId);
  return {
    fork: await forkOf(runtime, runId),
    imported: note === null ? null : { at: note.imported_at, exportedAt: note.exported_at },
  };
}

/** The same for one run of many. What cannot be read is said when it is looked at by itself; a list shows the others. */
export async function listedOrigin(runtime: Ambit, runId: string): Promise<Origin> {
  return await originOf(runtime, runId).catch((error: unknown) => {
    if (Fault.is(error)) return MADE_HERE;
    throw error;
  });
}

/** A fork begins with the frames of its parent, so its own beginning is the last one that is recorded. */
async function forkOf(runtime: Ambit, runId: string): Promise<Origin['fork']> {
  for (const { events } of (await runtime.frames(runId)).toReversed()) {
    if (!events.includes('"run_forked"')) continue;
    const forked = (JSON.parse(events) as readonly RunEvent[]).findLast((event) => event.type === 'run_forked');
    if (forked === undefined) continue;
    return { of: forked.parent.run_id, at: forked.parent.checkpoint_id, simulated: forked.simulate };
  }
  return null;
}
