import type { Frame } from '../../model/frame.ts';
import type { Hash } from '../../model/hash.ts';
import type { Journal } from '../../ports/journal.ts';
import { type OtlpSpan, type OtlpTraces, tracesOf } from '../../record/otel/otlp.ts';
import { runSpans } from '../../record/otel/run-spans.ts';
import { lanesOpened } from '../../replay/lanes-opened.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { eventsIn } from '../../session/decided-by.ts';

export interface OtelRoom {
  readonly journal: Pick<Journal, 'list' | 'load'>;
  readonly hash: Hash;
  readonly pinned: (runId: string) => Promise<ReplayEnv>;
}

/** A run and the runs of its lanes, each below the one that opened it, as one trace. */
export const otelTrace = async (room: OtelRoom, frames: readonly Frame[]): Promise<OtlpTraces> =>
  tracesOf(await spansBelow(room, frames[0]?.session ?? '', frames));

async function spansBelow(room: OtelRoom, runId: string, frames: readonly Frame[]): Promise<readonly OtlpSpan[]> {
  const [row] = await room.journal.list({ session: runId, limit: 1 });
  const { env } = await room.pinned(runId);
  const spans = [...runSpans(room.hash, { runId, agent: row?.agent ?? '', events: [...eventsIn(frames)] })];
  for (const lane of lanesOpened(env, frames)) {
    const left = await room.journal.load(lane);
    // A lane that was let and never began has left nothing.
    if (left.length > 0) spans.push(...(await spansBelow(room, lane, left)));
  }
  return spans;
}
