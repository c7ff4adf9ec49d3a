import type { Address, Hash } from '../json/hash.ts';
import { Stamp } from '../json/stamp.ts';

/** The `prev` link of the first frame of a session. */
export const GENESIS = 'genesis';
export type FrameLink = Address | typeof GENESIS;

/** One append to the journal: every event up to the next effect, as one stored text, chained to the previous frame. */
export interface Frame {
  readonly session: string;
  /** 1 for the first frame of a session, incremented by one per frame. */
  readonly seq: number;
  readonly at: number;
  readonly writer: string;
  /** A JSON array of events, exactly as stored. The hash covers this text, never a re-serialisation of it. */
  readonly events: string;
  readonly prev: FrameLink;
  readonly hash: Address;
}

/** A frame without its hash. */
export interface UnsealedFrame {
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  readonly writer: string;
  readonly events: string;
  readonly prev: FrameLink;
}

/**
 * Adds the hash to a frame, stamps the frame with the hash function and freezes it. A stamped frame cannot have
 * changed, so `isSealedHandle` does not hash it again.
 */
export function sealFrame(frame: UnsealedFrame, hash: Hash): Frame {
  const { session, seq, at, writer, events, prev } = frame;
  return Object.freeze(Stamp.put({ session, seq, at, writer, events, prev, hash: frameHash(frame, hash) }, hash));
}

/**
 * Freezes frames that were read and whose chain is verified, and stamps them like sealed ones: nothing can change them, so
 * their hash is computed once, however many queries verify them. Pass frames that are not frozen yet.
 */
export function stampVerified(frames: readonly Frame[], hash: Hash): readonly Frame[] {
  return frames.map((frame) => Object.freeze(Stamp.put(frame, hash)));
}

/** Checks that the hash of a frame is right. A frame that was sealed or verified in this process is not hashed again. */
export function isSealed(frame: Frame, hash: Hash): boolean {
  return Stamp.is(frame, hash) || frameHash(frame, hash) === frame.hash;
}

/**
 * Hashes every field. The header is one line of JSON, so the first line break always ends it and two different frames
 * never have the same text. The leading tag separates frames from all other hashed texts.
 */
function frameHash(frame: UnsealedFrame, hash: Hash): Address {
  const header = JSON.stringify(['frame/1', frame.prev, frame.session, frame.seq, frame.at, frame.writer]);
  return `sha256:${hash(`${header}\n${frame.events}`)}`;
}

/** The frame just before the first frame of a list, from which the list continues. */
export interface ChainAnchor {
  readonly seq: number;
  readonly hash: FrameLink;
}

const START: ChainAnchor = Object.freeze({ seq: 0, hash: GENESIS });

/** The first broken place of a chain, and the kind of break. */
export interface ChainBreak {
  readonly seq: number;
  readonly why: 'wrong_session' | 'wrong_place' | 'wrong_link' | 'wrong_hash';
}

/** Returns the first break, or null if the frames are one unbroken chain of one session right after `anchor`. */
export function verifyChain(frames: readonly Frame[], hash: Hash, anchor: ChainAnchor = START): ChainBreak | null {
  let { seq, hash: link } = anchor;
  for (const frame of frames) {
    seq += 1;
    if (frame.session !== frames[0]?.session) return { seq, why: 'wrong_session' };
    if (frame.seq !== seq) return { seq, why: 'wrong_place' };
    if (frame.prev !== link) return { seq, why: 'wrong_link' };
    if (!isSealed(frame, hash)) return { seq, why: 'wrong_hash' };
    link = frame.hash;
  }
  return null;
}
