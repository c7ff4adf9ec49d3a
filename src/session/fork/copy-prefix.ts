import type { RunState } from '../../kernel/state.ts';
import type { Turn } from '../../kernel/turn.ts';
import type { RunEvent } from '../../model/event.ts';
import { type Frame, sealFrame } from '../../model/frame.ts';
import type { Hash } from '../../model/hash.ts';
import type { Journal } from '../../ports/journal.ts';
import { BEGINNING, type Place } from '../journal-writer.ts';
import { project } from '../projections.ts';

/** How a run stood after each of the frames that are copied. */
export interface Copied {
  readonly frame: Frame;
  /** Those of the frame that are copied: all of them, or those before the verdict it is cut at. */
  readonly events: readonly RunEvent[];
  readonly state: RunState;
}

export interface CopyTo {
  readonly journal: Journal;
  readonly hash: Hash;
  readonly writer: string;
  readonly agent: string;
  readonly runId: string;
}

/**
 * Writes what happened to a run once more, as the beginning of another: the same events in the same frames, chained
 * anew. Until the fork itself is on record it is nobody's run: it waits for nothing and asks for nothing.
 */
export async function copyPrefix(to: CopyTo, copies: readonly Copied[]): Promise<Place> {
  const { journal, hash, writer, agent, runId } = to;
  let place = BEGINNING;
  for (const { frame: original, events, state } of copies) {
    const { seq, at } = original;
    const frame = sealFrame(
      { session: runId, seq, at, writer, events: JSON.stringify(events), prev: place.head },
      hash,
    );
    const named: RunState = { ...state, id: { ...state.id, runId } };
    const turn: Turn = { state: named, events: [], blobs: [], checkpoints: [], outbox: [] };
    const { session } = project(named, turn, frame, { agent, settled: null });
    const row = { ...session, status: 'paused' as const, wake_at: null };
    const nothing = { gates: [], effects: [], grants: [], intents: [], checkpoints: [] };
    const projections = { session: row, ...nothing };
    await journal.append({ session: runId, expectedSeq: seq - 1, frame, blobs: [], projections, writer });
    place = { seq: frame.seq, head: frame.hash };
  }
  return place;
}
