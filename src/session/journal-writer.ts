import type { RunState } from '../kernel/state.ts';
import type { Turn } from '../kernel/turn.ts';
import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { type FrameLink, GENESIS, sealFrame } from '../model/frame.ts';
import type { Hash } from '../model/hash.ts';
import type { Append, Journal } from '../ports/journal.ts';
import { project, settledResult } from './projections.ts';

/** Where a writer stands in a session's journal. */
export interface Place {
  readonly seq: number;
  readonly head: FrameLink;
}

export const BEGINNING: Place = Object.freeze({ seq: 0, head: GENESIS });

export interface JournalWriter {
  readonly journal: Journal;
  readonly writer: string;
  readonly agent: string;
  readonly hash: Hash;
}

/** How often an append of unknown fate is offered again: the identical frame resolves if it was stored after all. */
export const UNKNOWN_RETRIES_MAX = 3;

/** Makes a turn durable: one frame, all of it or nothing. */
export async function writeTurn(to: JournalWriter, place: Place, before: RunState, turn: Turn): Promise<Place> {
  const append = appendOf(to, place, before, turn);
  for (let attempt = 0; ; attempt += 1) {
    try {
      await to.journal.append(append);
      return { seq: append.frame.seq, head: append.frame.hash };
    } catch (error) {
      const unknown = Fault.is(error) && error.code === 'store_unknown';
      if (!unknown || attempt >= UNKNOWN_RETRIES_MAX) throw error;
    }
  }
}

function appendOf({ writer, agent, hash }: JournalWriter, place: Place, before: RunState, turn: Turn): Append {
  const { state, blobs } = turn;
  const session = state.id.runId;
  const events = textOf(turn.events);
  const frame = sealFrame({ session, seq: place.seq + 1, at: state.now, writer, events, prev: place.head }, hash);
  const settled = settledResult(before, turn, hash);
  return {
    session,
    expectedSeq: place.seq,
    frame,
    blobs: settled === null ? blobs : [...blobs, settled],
    projections: project(before, turn, frame, { agent, settled }),
    writer,
  };
}

/** The same text as of the whole list at once, for which the platform takes longer. */
function textOf(events: readonly RunEvent[]): string {
  let text = '';
  for (const event of events) text += text === '' ? JSON.stringify(event) : `,${JSON.stringify(event)}`;
  return `[${text}]`;
}
