/** The trace of a run that a test drives turn by turn. */
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { type Frame, GENESIS, sealFrame } from '../../../src/model/events/frame.ts';
import type { RunTrace } from '../../../src/model/record/trace.ts';
import { traceOf } from '../../../src/record/trace/trace-of.ts';
import { standingOf } from '../../../src/replay/walk-run.ts';
import type { Turns } from '../endings/turns.ts';

/** All events in one frame. */
export function framesOf({ state, events }: Pick<Turns, 'state' | 'events'>): readonly Frame[] {
  const frame = { session: state.id.runId, seq: 1, at: state.now, writer: 'bench', prev: GENESIS } as const;
  return [sealFrame({ ...frame, events: JSON.stringify(events) }, sha256)];
}

export function traceRun(run: Turns): RunTrace {
  const frames = framesOf(run);
  return traceOf(frames, standingOf(run.env, frames));
}
