import { type Ambit, Fault } from '../../index.ts';
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

async function forkOf(runtime: Ambit, runId: string): Promise<Origin['fork']> {
  const found = await runtime.forkOf(runId);
  return found === null ? null : { of: found.runId, at: found.checkpointId, simulated: found.simulated };
}
