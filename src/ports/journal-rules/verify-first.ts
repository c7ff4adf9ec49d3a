import { type Frame, GENESIS } from '../../model/frame.ts';
import type { Hash } from '../../model/hash.ts';
import { verifyLoaded } from './verify-stored.ts';

/** A first frame by itself: nothing stands before it, and its hash is its own. What follows it is not looked at. */
export function verifyFirst(frame: Frame, hash: Hash): Frame {
  const { session, seq, hash: head_hash } = frame;
  verifyLoaded({ session, fromSeq: 1, frames: [frame], before: GENESIS, head: { seq, head_hash } }, hash);
  return frame;
}
