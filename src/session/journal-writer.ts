import type { RunState, Turn } from '../kernel/index.ts';
import type { RunEvent } from '../model/events/event.ts';
import { type FrameLink, GENESIS, sealFrame } from '../model/events/frame.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Hash } from '../model/json/hash.ts';
import type { Append, Journal } from '../ports/journal/journal.ts';
import { intendedBy, isStopping, type KillSwitchStore, killSwitchOn } from '../ports/journal/kill-switches.ts';
import type { Ancestry } from './lanes/ancestry.ts';
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
  /** Asked before an intent is stored if decisions are signed: the store does not know whether a lift is proven. */
  readonly switches?: Pick<KillSwitchStore, 'killSwitches'>;
}

/** How often an append with an unknown result is repeated. The identical frame resolves if it was stored after all. */
export const UNKNOWN_RETRIES_MAX = 3;

/** Makes a turn durable as one frame, atomically. */
export async function writeTurn(
  to: JournalWriter,
  place: JournalPlace,
  before: RunState,
  turn: Turn,
  ancestry?: Ancestry,
): Promise<JournalPlace> {
  const append = appendOf(to, place, before, turn, ancestry);
  if (to.switches !== undefined) await assertNotStopped(to.switches, append);
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

/** Throws `kill_switch_on` if a switch stops a call of this append. */
async function assertNotStopped(
  switches: Pick<KillSwitchStore, 'killSwitches'>,
  { projections }: Append,
): Promise<void> {
  const intended = intendedBy(projections);
  if (intended.length === 0) return;
  const thrown = (await switches.killSwitches()).find((each) => intended.some((call) => isStopping(each, call)));
  if (thrown !== undefined) throw killSwitchOn(thrown);
}

function appendOf(
  { writer, agent, hash }: JournalWriter,
  place: JournalPlace,
  before: RunState,
  turn: Turn,
  ancestry: Ancestry | undefined,
): Append {
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
    projections: project(before, turn, frame, { agent, settled, ...(ancestry === undefined ? {} : { ancestry }) }),
    writer,
  };
}

/** The same text as `JSON.stringify(events)`, which is slower. */
function textOf(events: readonly RunEvent[]): string {
  let text = '';
  for (const event of events) text += text === '' ? JSON.stringify(event) : `,${JSON.stringify(event)}`;
  return `[${text}]`;
}

export const isFenced = (error: unknown): error is Fault => Fault.is(error) && error.code === 'fenced';
