import { Fault, type FaultCode } from '../../model/fault.ts';
import { type Frame, type FrameLink, verifyChain } from '../../model/frame.ts';
import { type Address, addressOfText, type Hash } from '../../model/hash.ts';
import type { SessionRow } from '../journal-rows.ts';

/** What a store found for one session. */
export interface Loaded {
  readonly session: string;
  readonly fromSeq: number;
  readonly frames: readonly Frame[];
  /** The hash of the frame before `fromSeq`; undefined when the store has no such frame. */
  readonly before: FrameLink | undefined;
  /** The session's row, which says where its journal ends. */
  readonly head: Pick<SessionRow, 'seq' | 'head_hash'> | undefined;
}

/** Stored frames are believed only as one unbroken chain from the place asked for to the head. */
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

/** The text that was promised under an address, or a Fault: nothing else is ever handed out. */
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
