import type { Address, Hash } from './hash.ts';
import { Stamp } from './stamp.ts';

/** What the first frame of a session is chained to. */
export const GENESIS = 'genesis';
export type FrameLink = Address | typeof GENESIS;

/** One append: every event up to the next effect, as one stored text, chained to the frame before. */
export interface Frame {
  readonly session: string;
  /** 1 for the first frame of a session, then one more each. */
  readonly seq: number;
  readonly at: number;
  readonly writer: string;
  /** A JSON array of events, exactly as stored. What is hashed is this text, never a re-serialisation of it. */
  readonly events: string;
  readonly prev: FrameLink;
  readonly hash: Address;
}

/** A frame that has not been given its hash. */
export interface UnsealedFrame {
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  readonly writer: string;
  readonly events: string;
  readonly prev: FrameLink;
}

/** A frame that was sealed here bears the mark of what with: it is frozen, so what was true of it is true of it still. */
export function sealFrame(frame: UnsealedFrame, hash: Hash): Frame {
  const { session, seq, at, writer, events, prev } = frame;
  return Object.freeze(Stamp.put({ session, seq, at, writer, events, prev, hash: frameHash(frame, hash) }, hash));
}

/** Whether a frame has the hash that it says it has. One that was sealed in this process is not hashed again. */
export function isSealed(frame: Frame, hash: Hash): boolean {
  return Stamp.is(frame, hash) || frameHash(frame, hash) === frame.hash;
}

/**
 * Covers every field. The header is one line of JSON, so the first line break ends it whatever a name holds,
 * and no two different frames have the same text. The leading tag keeps a frame apart from any other hashed text.
 */
function frameHash(frame: UnsealedFrame, hash: Hash): Address {
  const header = JSON.stringify(['frame/1', frame.prev, frame.session, frame.seq, frame.at, frame.writer]);
  return `sha256:${hash(`${header}\n${frame.events}`)}`;
}

/** The place a list of frames continues from: the frame just before its first. */
export interface ChainAnchor {
  readonly seq: number;
  readonly hash: FrameLink;
}

const START: ChainAnchor = Object.freeze({ seq: 0, hash: GENESIS });

/** Where a chain is first broken, and how. */
export interface ChainBreak {
  readonly seq: number;
  readonly why: 'wrong_session' | 'wrong_place' | 'wrong_link' | 'wrong_hash';
}

/** Null when the frames are one unbroken chain of one session that starts right after `anchor`. */
export function verifyChain(frames: readonly Frame[], hash: Hash, anchor: ChainAnchor = START): ChainBreak | null {
  let { seq, hash: link } = anchor;
  for (const frame of frames) {
    seq += 1;
    if (frame.session !== frames[0]?.session) return { seq, why: 'wrong_session' };
    if (frame.seq !== seq) return { seq, why: 'wrong_place' };
    if (frame.prev !== link) return { seq, why: 'wrong_link' };
    if (frameHash(frame, hash) !== frame.hash) return { seq, why: 'wrong_hash' };
    link = frame.hash;
  }
  return null;
}
