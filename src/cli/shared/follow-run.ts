import { setTimeout as sleep } from 'node:timers/promises';
import { type Ambit, Fault, type RunOutcome } from '../../index.ts';
import { type LiveLines, openLiveLines } from '../terminal/live-lines.ts';
import { type CliTerminal, createPaint } from '../terminal/terminal.ts';
import { applyEvent, EMPTY_RUN_VIEW, renderRun } from '../views/render-run.ts';
import { readEvents } from './read-run.ts';

/** Waits for `work` and draws the run meanwhile. */
export type Follow = (work: Promise<RunOutcome>) => Promise<RunOutcome>;

export function createFollower(runtime: Ambit, runId: string, terminal: CliTerminal): Follow {
  return async (work) => {
    if (!terminal.isLive) return await work;
    const controller = new AbortController();
    const drawing = drawUntilAborted(runtime, runId, controller.signal);
    try {
      return await work;
    } finally {
      controller.abort();
      await drawing;
    }
  };
}

async function drawUntilAborted(runtime: Ambit, runId: string, signal: AbortSignal): Promise<void> {
  const lines = openLiveLines(process.stderr);
  if (await hasStarted(runtime, runId, signal)) await drawRun(runtime, runId, lines, signal);
  // The watch ends on abort and may miss the last events.
  const events = await readEvents(runtime, runId).catch(() => []);
  if (events.length > 0) lines.draw(renderRun(events.reduce(applyEvent, EMPTY_RUN_VIEW), createPaint(process.stderr)));
}

/** Redraws without events too, because the view shows the elapsed time. */
const TICK_MS = 500;

/** Draws a run after every event, until the run ends or the signal aborts. */
export async function drawRun(runtime: Ambit, runId: string, lines: LiveLines, signal: AbortSignal): Promise<void> {
  const paint = createPaint(process.stderr);
  let view = EMPTY_RUN_VIEW;
  const redraw = (now: number): void => lines.draw(renderRun({ ...view, now }, paint));
  const ticks = setInterval(() => view !== EMPTY_RUN_VIEW && redraw(Date.now()), TICK_MS);
  try {
    for await (const { event } of runtime.sessions.watch(runId, { signal })) {
      view = applyEvent(view, event);
      redraw(event.at);
    }
  } finally {
    clearInterval(ticks);
  }
}

const POLL_MS = 20;

/** Polls the journal for the run. A request that the runtime refused has an id but never a run. */
async function hasStarted(runtime: Ambit, runId: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await runtime.records.frames(runId);
      return true;
    } catch (error) {
      if (!Fault.is(error) || error.code !== 'session_not_found') throw error;
    }
    await sleep(POLL_MS, null, { signal }).catch(() => null);
  }
  return false;
}
