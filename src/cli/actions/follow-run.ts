import { setTimeout as after } from 'node:timers/promises';
import { type Ambit, Fault, type RunOutcome } from '../../index.ts';
import { type LiveLines, liveLines } from '../terminal/live.ts';
import { paintFor, type Terminal } from '../terminal/terminal.ts';
import { runLines } from '../views/run-lines.ts';
import { NOTHING_YET, watched } from '../views/run-view.ts';
import { eventsOf } from './events-of.ts';

/** Waits for a run to come to rest, and meanwhile draws how it goes where somebody looks. */
export type Follow = (work: Promise<RunOutcome>) => Promise<RunOutcome>;

export function follower(runtime: Ambit, runId: string | Promise<string>, terminal: Terminal): Follow {
  return async (work) => {
    if (!terminal.live) return await work;
    const rest = new AbortController();
    const drawn = draw(runtime, runId, rest.signal);
    try {
      return await work;
    } finally {
      rest.abort();
      await drawn;
    }
  };
}

async function draw(runtime: Ambit, runId: string | Promise<string>, rest: AbortSignal): Promise<void> {
  const id = await Promise.race([runId, restOf(rest)]);
  if (id === null) return;
  const lines = liveLines(process.stderr);
  if (await isBegun(runtime, id, rest)) await drawRun(runtime, id, lines, rest);
  // The last of it may have been written while nobody looked any more.
  const events = await eventsOf(runtime, id).catch(() => []);
  if (events.length > 0) lines.draw(runLines(events.reduce(watched, NOTHING_YET), paintFor(process.stderr)));
}

/** Time is shown too, so a run is drawn anew while nothing happens. */
const TICK_MS = 500;

/** Draws a run with every event, until it ends or nobody wants to see it any more. */
export async function drawRun(runtime: Ambit, runId: string, lines: LiveLines, signal: AbortSignal): Promise<void> {
  const paint = paintFor(process.stderr);
  let view = NOTHING_YET;
  const redraw = (now: number): void => lines.draw(runLines({ ...view, now }, paint));
  const ticks = setInterval(() => view !== NOTHING_YET && redraw(Date.now()), TICK_MS);
  try {
    for await (const { event } of runtime.watch(runId, { signal })) {
      view = watched(view, event);
      redraw(event.at);
    }
  } finally {
    clearInterval(ticks);
  }
}

/** So often it is looked whether a run that has its id is in the journal by now. */
const LOOK_EVERY_MS = 20;

/** A request that is refused at the door has an id and no run. */
async function isBegun(runtime: Ambit, runId: string, rest: AbortSignal): Promise<boolean> {
  while (!rest.aborted) {
    try {
      await runtime.frames(runId);
      return true;
    } catch (error) {
      if (!Fault.is(error) || error.code !== 'session_not_found') throw error;
    }
    await after(LOOK_EVERY_MS, null, { signal: rest }).catch(() => null);
  }
  return false;
}

const restOf = async (signal: AbortSignal): Promise<null> =>
  await new Promise((resolve) => signal.addEventListener('abort', () => setImmediate(resolve, null), { once: true }));
