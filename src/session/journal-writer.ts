import { foldFrame, type KernelEnv, type RunState, type Turn } from '../kernel/index.ts';
import type { RunEvent } from '../model/events/event.ts';
import { type FrameLink, GENESIS, sealFrame } from '../model/events/frame.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Hash } from '../model/json/hash.ts';
import type { Append, Journal } from '../ports/journal/journal.ts';
import { project, settledResult } from './projections.ts';

/** The position of a writer in a session's journal. */
export interface JournalPlace {
  readonly seq: number;
  readonly head: FrameLink;
}

export const BEGINNING: JournalPlace = Object.freeze({ seq: 0, head: GENESIS });

export interface JournalWriter {
  readonly journal: Journal;
  readonly writer: string;
  readonly agent: string;
  readonly hash: Hash;
}

/** How often an append with an unknown result is repeated. The identical frame resolves if it was stored after all. */
export const UNKNOWN_RETRIES_MAX = 3;

/** Makes a turn durable as one frame, atomically. */
export async function writeTurn(
  to: JournalWriter,
  place: JournalPlace,
  before: RunState,
  turn: Turn,
): Promise<JournalPlace> {
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

function appendOf({ writer, agent, hash }: JournalWriter, place: JournalPlace, before: RunState, turn: Turn): Append {
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

/** The same text as `JSON.stringify(events)`, which is slower. */
function textOf(events: readonly RunEvent[]): string {
  let text = '';
  for (const event of events) text += text === '' ? JSON.stringify(event) : `,${JSON.stringify(event)}`;
  return `[${text}]`;
}

/**
 * The suffix of a guest writer, such as `writer_1/aside`: a process that does not drive the run and writes a pause, a
 * cancel or a budget. The driver folds such a frame and keeps driving.
 */
const GUEST_SUFFIX = '/aside';

export const guestWriter = (writer: string): string => `${writer}${GUEST_SUFFIX}`;

export const isGuestWriter = (writer: string): boolean => writer.endsWith(GUEST_SUFFIX);

/** A run and its place in the journal, after folding the frames of guest writers. */
export interface CaughtUp {
  readonly state: RunState;
  readonly place: JournalPlace;
  /** True if the effect in flight must be cancelled. */
  readonly recalled: boolean;
}

export const isFenced = (error: unknown): error is Fault => Fault.is(error) && error.code === 'fenced';

/** Folds new frames of guest writers. Returns null if there are none, or if another process has taken over the run. */
export async function readGuestFrames(
  env: KernelEnv,
  journal: Pick<Journal, 'load'>,
  known: { readonly state: RunState; readonly place: JournalPlace },
): Promise<CaughtUp | null> {
  let { state, place } = known;
  let recalled = false;
  if (place.seq === 0) return null;
  const news = await journal.load(state.id.runId, place.seq + 1);
  if (news.length === 0 || news.some(({ writer }) => !isGuestWriter(writer))) return null;
  for (const frame of news) {
    const folded = foldFrame(env, state, frame);
    state = folded.state;
    place = { seq: frame.seq, head: frame.hash };
    recalled ||= folded.effects.some(({ kind }) => kind === 'abort_flight');
  }
  return { state, place, recalled };
}
