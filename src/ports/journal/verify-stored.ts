import { type Frame, type FrameLink, GENESIS, verifyChain } from '../../model/events/frame.ts';
import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import { type Address, addressOfText, type Hash } from '../../model/json/hash.ts';
import type { SessionRow } from './rows.ts';

/** The stored data of one session, as read. */
interface Loaded {
  readonly session: string;
  readonly fromSeq: number;
  readonly frames: readonly Frame[];
  /** The hash of the frame before `fromSeq`; undefined if the store has no such frame. */
  readonly before: FrameLink | undefined;
  /** The session's row, which says where its journal ends. */
  readonly head: Pick<SessionRow, 'seq' | 'head_hash'> | undefined;
}

/** Throws unless the stored frames form one unbroken chain from `fromSeq` to the head. */
export function verifyLoaded({ session, fromSeq, frames, before, head }: Loaded, hash: Hash): void {
  const corrupt = (seq: number, why: string): Fault =>
    new Fault('store_corrupt', `frame ${seq} of session ${session}: ${why}`, { path: `/frames/${seq}` });
  const end = head?.seq ?? 0;
  const last = frames.at(-1);
  if (fromSeq > end && last === undefined) return;
  if (before === undefined) throw corrupt(fromSeq - 1, 'is missing');
  const broken = verifyChain(frames, hash, { seq: fromSeq - 1, hash: before });
  if (broken !== null) throw corrupt(broken.seq, BREAKS[broken.why]);
  if (last?.seq !== end) throw corrupt((last?.seq ?? fromSeq - 1) + 1, `is missing; the session has ${end} frames`);
  if (last.hash !== head?.head_hash) throw corrupt(end, 'is not the head that the session was left with');
}

const BREAKS = {
  wrong_session: 'belongs to another session',
  wrong_place: 'is missing or out of order',
  wrong_link: 'does not continue the frame before it',
  wrong_hash: 'does not match its hash',
} as const;

/** Returns the text stored under an address, or throws if it is missing or its hash differs. */
export function verifyText(
  address: Address,
  text: string | undefined,
  hash: Hash,
  code: FaultCode & ('store_corrupt' | 'checkpoint_corrupt') = 'store_corrupt',
): string {
  if (text === undefined) throw new Fault('blob_missing', `${address} is not in the store`);
  if (addressOfText(hash, text) !== address) throw new Fault(code, `what is stored under ${address} was altered`);
  return text;
}

/** Verifies a first frame on its own: it has no predecessor and its hash matches. Later frames are not read. */
export function verifyFirst(frame: Frame, hash: Hash): Frame {
  const { session, seq, hash: head_hash } = frame;
  verifyLoaded({ session, fromSeq: 1, frames: [frame], before: GENESIS, head: { seq, head_hash } }, hash);
  return frame;
}
