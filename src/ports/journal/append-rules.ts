import { GENESIS, isSealed } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import { assertBlob } from '../../model/json/blob.ts';
import type { Address, Hash } from '../../model/json/hash.ts';
import type { Append } from './journal.ts';
import type { CheckpointRow, GrantUse, Projections, SessionRow } from './rows.ts';
import type { StandingUse } from './standing-grants.ts';

/** Refusals that a store can detect only while it writes. All stores share the wording. */

export function grantAlreadyUsed(use: GrantUse): Fault {
  return new Fault('grant_stale', `grant ${use.grant_id} has been used; each is good for one call`);
}

export function standingRefused(use: StandingUse, why: string): Fault {
  return new Fault('grant_stale', `standing grant ${use.grant_id} does not cover this call: ${why}`);
}

/** Refuses an intent of a lane whose parent session has ended. Returns null for any other append. */
export function refuseOrphan(
  { parent, intents }: Projections,
  row: (session: string) => EndedRow | undefined,
): Fault | null {
  if (parent === undefined || intents.length === 0) return null;
  const code = row(parent)?.terminal_code ?? null;
  return code === null ? null : new Fault('lane_parent_ended', `${parent}, for which this works, has ended: ${code}`);
}

type EndedRow = Pick<SessionRow, 'terminal_code'>;

export function checkpointTaken(row: CheckpointRow): Fault {
  return new Fault('checkpoint_exists', `checkpoint ${row.checkpoint_id} is stored already, with another content`);
}

export function rowOfAnotherSession(kind: 'gate' | 'checkpoint', id: string): Fault {
  return new Fault('state_write_refused', `${kind} ${id} belongs to another session`);
}

export function blobNotStored(address: Address): Fault {
  return new Fault('blob_missing', `${address} is neither in the store nor among the blobs of this append`);
}

export function tenantChanged(row: SessionRow): Fault {
  return new Fault('state_write_refused', `session ${row.session_id} does not belong to tenant ${row.tenant_id}`);
}

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

interface Held {
  readonly writer: string;
  readonly hash: string;
}

/** The session row, and the stored frames at the seq that an append wants (`there`) and before it. */
export interface AppendPlace {
  readonly there: Held | null;
  readonly before: Held | null;
  readonly session: SessionRow | null;
}

/** `stored`: this writer stored the same frame before and could not learn whether its commit succeeded. */
export type PlaceRuling = 'free' | 'stored' | Fault;

/** The fence: decides whether a writer may append at this position. All stores use this function. */
export function ruleOnPlace(append: Append, place: AppendPlace): PlaceRuling {
  const { frame, session, writer } = append;
  const { there, before } = place;
  if (there !== null) {
    if (there.writer === writer && there.hash === frame.hash) return 'stored';
    return fenced(session, `frame ${frame.seq} was written by ${there.writer}`);
  }
  if (frame.prev !== GENESIS && before === null) {
    const why = `frame ${frame.seq} of session ${session} has no frame ${frame.seq - 1} before it`;
    return new Fault('input_invalid', why, { path: '/expectedSeq' });
  }
  if (frame.prev !== GENESIS && before?.hash !== frame.prev)
    return fenced(session, `frame ${frame.seq - 1}, written by ${before?.writer}, is not the one this continues`);
  if (place.session !== null && place.session.terminal_code !== null)
    return new Fault('session_terminal', `session ${session} has ended: ${place.session.terminal_code}`);
  return 'free';
}

function fenced(session: string, why: string): Fault {
  return new Fault('fenced', `session ${session}: ${why}; reload it before going on`);
}
