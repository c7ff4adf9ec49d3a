import { GENESIS, isSealed } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import { assertBlob } from '../../model/json/blob.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { Append } from './journal.ts';

/**
 * Checks that every journal makes on an append before it writes anything. Stored frames are never overwritten, so a
 * frame with a wrong hash or a row of another session could not be repaired later.
 */
export function checkAppend(append: Append, hash: Hash): void {
  const { frame, session, expectedSeq, writer } = append;
  const { seq } = frame;
  ensure(Number.isSafeInteger(expectedSeq) && expectedSeq >= 0, '/expectedSeq', 'must be a whole number from 0');
  ensure(frame.session === session, '/frame/session', 'names another session');
  ensure(frame.writer === writer, '/frame/writer', 'names another writer');
  ensure(seq === expectedSeq + 1, '/frame/seq', 'must be one more than expectedSeq');
  ensure(Number.isSafeInteger(frame.at), '/frame/at', 'must be a whole number of milliseconds');
  ensure((frame.prev === GENESIS) === (seq === 1), '/frame/prev', 'only the first frame starts a chain');
  ensure(frame.events.isWellFormed(), '/frame/events', 'has a lone surrogate');
  ensure(isSealed(frame, hash), '/frame/hash', 'is not the hash of the frame');
  append.blobs.forEach((blob, index) => {
    assertBlob(blob, hash, `/blobs/${index}`);
  });
  checkProjections(append);
}

function checkProjections({ frame, session, projections }: Append): void {
  const row = projections.session;
  ensure(row.session_id === session, '/projections/session/session_id', 'names another session');
  ensure(row.seq === frame.seq, '/projections/session/seq', 'must be the seq of the frame');
  ensure(row.head_hash === frame.hash, '/projections/session/head_hash', 'is not the hash of the frame');
  for (const list of LISTS) {
    const other = projections[list].findIndex(({ session_id }) => session_id !== session);
    if (other >= 0) refuse(`/projections/${list}/${other}/session_id`, 'names another session');
  }
  const elsewhere = projections.checkpoints.findIndex(({ seq }) => seq !== frame.seq);
  if (elsewhere >= 0) refuse(`/projections/checkpoints/${elsewhere}/seq`, 'must be the seq of the frame');
}

const LISTS = ['gates', 'effects', 'grants', 'checkpoints'] as const;

function ensure(holds: boolean, path: string, why: string): void {
  if (!holds) refuse(path, why);
}

function refuse(path: string, why: string): never {
  throw new Fault('input_invalid', `${path}: ${why}`, { path });
}
