import { Fault } from '../../../model/fault/fault.ts';
import type { Append } from '../../../ports/journal/journal.ts';
import type { StoredSession } from '../known-sessions.ts';
import type { Statements } from '../statements.ts';
import { type AnchorSigner, type VerifySignature, verifierOf } from './anchor-signer.ts';
import { chainBroken, type PermissionHead } from './permission-chain.ts';

/**
 * The text that the anchor key signs for a frame. The hash of a frame covers its session and all frames before it. The
 * hash of a permission record covers all records before it, and so the identity of the store.
 */
const signedText = (frameHash: string, { count, hash }: PermissionHead): string =>
  `ambit_frame@1\n${count}\n${hash}\n${frameHash}`;

/** Names the last record of a chain by its number and the beginning of its hash, such as `12:0fe36bc1d2a40f93`. */
export const nameOf = ({ count, hash }: PermissionHead): string =>
  `${count}:${hash.slice(HASH_START, HASH_START + NAMED_DIGITS)}`;

const HASH_START = 'sha256:'.length;
const NAMED_DIGITS = 16;

/** The columns of a stored frame that its signature is about. */
export interface FrameSignature extends FollowedRecord {
  readonly hash: string;
  readonly signature: string | null;
}

/** The permission record that a stored frame follows. */
export interface FollowedRecord {
  /** The name of the last permission record before the frame. Null for a frame from before format 10. */
  readonly permissions: string | null;
  /** The hash of the record with that number. Null if it is missing. */
  readonly permission: string | null;
}

export function isFrameSigned(verify: VerifySignature, stored: FrameSignature): boolean {
  const { hash, permissions, signature, permission } = stored;
  if (permissions === null || signature === null || permission === null) return false;
  const head = { count: numberIn(permissions), hash: permission };
  return nameOf(head) === permissions && verify(signedText(hash, head), signature);
}

/** The number of the permission record that a frame follows. */
export const numberIn = (permissions: string): number => Number.parseInt(permissions, 10);

/** The problem of the permission record that a frame follows: it was cut off, or another one is stored in its place. */
export function findMissingRecord({ permissions, permission }: FollowedRecord): MissingRecord | null {
  if (permissions === null) return null;
  const row = numberIn(permissions);
  if (permission === null) return row === 0 ? null : { row, why: 'was cut off' };
  return nameOf({ count: row, hash: permission }) === permissions ? null : { row, why: 'was replaced' };
}

interface MissingRecord {
  readonly row: number;
  readonly why: 'was cut off' | 'was replaced';
}

/** Signs the frames that one connection writes. */
export interface FrameSigner {
  /** Signs the frame of an append. Null if an earlier frame of its session is not signed, or if it is imported. */
  sign(append: Append, before: Pick<StoredSession, 'last_row'> | null, saw: PermissionHead): string | null;
  /**
   * Throws `run_unsigned` if the newest frame of a session is not signed with this key, and `store_corrupt` if the
   * permission record that the frame follows is missing.
   */
  assertSigned(session: string): void;
}

/** The maximum number of sessions whose newest frame is known to be signed. Others are verified again. */
const SIGNED_MAX = 10_000;

export function frameSigner(
  statements: Pick<Statements, 'signature' | 'session'>,
  { publicKey, sign }: AnchorSigner,
): FrameSigner {
  const verify = verifierOf(publicKey);
  /** The hash of the last frame of each session that this connection signed or verified. */
  const signed = new Map<string, string>();
  const note = (session: string, hash: string): void => {
    signed.delete(session);
    signed.set(session, hash);
    if (signed.size > SIGNED_MAX) signed.delete(signed.keys().next().value ?? '');
  };
  const readAt = (row: number): FrameSignature | undefined =>
    statements.signature.get(row) as unknown as FrameSignature | undefined;
  const continuesSigned = ({ session, frame }: Append, before: Pick<StoredSession, 'last_row'> | null): boolean => {
    if (before === null || signed.get(session) === frame.prev) return true;
    const stored = readAt(before.last_row);
    return stored?.hash === frame.prev && isFrameSigned(verify, stored);
  };
  return {
    sign: (append, before, saw) => {
      const { session, frame, projections } = append;
      if (projections.imported === true || !continuesSigned(append, before)) return null;
      note(session, frame.hash);
      return sign(signedText(frame.hash, saw));
    },
    assertSigned: (session) => {
      const row = statements.session.get(session) as unknown as StoredSession | undefined;
      const stored = row === undefined ? undefined : readAt(row.last_row);
      const missing = stored === undefined ? null : findMissingRecord(stored);
      if (missing !== null) throw chainBroken(missing.row, missing.why);
      if (row !== undefined && stored?.hash === row.head_hash && isFrameSigned(verify, stored)) return;
      const fix = `nothing more is sent; end the run with "ambit sessions terminate ${session}" and start it again`;
      throw new Fault(
        'run_unsigned',
        `the record of ${session} is not signed with the anchor key of the store; ${fix}`,
      );
    },
  };
}
