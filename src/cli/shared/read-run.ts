import { type Ambit, Fault, type RunOutcome } from '../../index.ts';
import { frameEvents } from '../../model/index.ts';
import type { RunEvent } from '../../records.ts';
import { CliFault } from '../cli-fault.ts';
import { LOCAL_ORIGIN, type RunDetails, type RunOrigin } from '../views/run-details.ts';

export async function readEvents(runtime: Ambit, runId: string): Promise<readonly RunEvent[]> {
  return (await runtime.records.frames(runId)).flatMap(frameEvents);
}

/** Reads the trace of an ended run. The fault for any other run names the commands that show it now. */
export async function readTrace(runtime: Ambit, runId: string): ReturnType<Ambit['records']['trace']> {
  try {
    return await runtime.records.trace(runId);
  } catch (cause) {
    if (!Fault.is(cause) || cause.code !== 'illegal_transition') throw cause;
    const fix = `see its state now: ambit sessions show ${runId}, or follow it: ambit sessions watch ${runId}`;
    throw new CliFault(cause.code, cause.message, { fix, cause });
  }
}

/** Reads the origin and the driver of a run. Only a local run in progress can have a driver. */
export async function readRunDetails(runtime: Ambit, { runId, status }: RunOutcome): Promise<RunDetails> {
  const origin = await readOrigin(runtime, runId);
  const driver = status === 'in_progress' && origin.imported === null ? await runtime.sessions.driver(runId) : null;
  return { origin, driver: driver === null || driver.here ? null : driver };
}

export async function readOrigin(runtime: Ambit, runId: string): Promise<RunOrigin> {
  const note = await runtime.records.imported(runId);
  return {
    fork: await readFork(runtime, runId),
    imported: note === null ? null : { at: note.imported_at, exportedAt: note.exported_at },
  };
}

/** Reads the origin of one run in a list. A damaged run must not hide the others. */
export async function readListedOrigin(runtime: Ambit, runId: string): Promise<RunOrigin> {
  return await readOrigin(runtime, runId).catch((error: unknown) => {
    if (Fault.is(error)) return LOCAL_ORIGIN;
    throw error;
  });
}

async function readFork(runtime: Ambit, runId: string): Promise<RunOrigin['fork']> {
  const found = await runtime.records.forkOf(runId);
  return found === null ? null : { of: found.runId, at: found.checkpointId, simulated: found.simulated };
}
