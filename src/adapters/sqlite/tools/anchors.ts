import { canonicalize } from '../../../model/canonical.ts';
import { Fault } from '../../../model/fault.ts';
import type { Hash } from '../../../model/hash.ts';
import type { Signatures } from '../../../ports/signatures.ts';
import type { AnchorFinding, AnchorOptions, Anchors, AnchorVerdict, ChainHead } from '../../../ports/store-tools.ts';
import type { Connection } from '../connection.ts';
import { isPruned } from '../pruned.ts';
import { readFrames } from '../read.ts';
import { type ListedSession, sessionsIn, withFile } from './reading.ts';

/** What is signed: everything but the signature. */
const signedText = ({ kind, at, heads }: Omit<Anchors, 'signature'>): string =>
  canonicalize({ kind, at, heads: heads.map((head) => ({ ...head })) });

export function anchorStore(
  file: string,
  { now, session, key }: AnchorOptions,
  sign: (privateKey: string, text: string) => string,
): Anchors {
  const heads = withFile(file, 'read', (connection) =>
    sessionsIn(connection)
      .filter(({ session_id }) => session === undefined || session === session_id)
      .map(({ session_id, seq, head_hash }): ChainHead => ({ session_id, seq, head_hash })),
  );
  if (session !== undefined && heads.length === 0)
    throw new Fault('session_not_found', `there is no session ${session} in ${file}`);
  const body = { kind: 'ambit_anchors@1', at: now, heads } as const;
  if (key === undefined) return { ...body, signature: null };
  return { ...body, signature: { public_key: key.publicKey, value: sign(key.privateKey, signedText(body)) } };
}

interface Checking {
  readonly hash: Hash;
  readonly signatures: Signatures;
}

/**
 * A chain shows what was changed in its middle, and a session's row what was cut off its end. Whoever can write the file
 * can change both together; then only what was kept elsewhere tells.
 */
export function verifyAnchors(
  file: string,
  anchors: Anchors,
  publicKey: string | undefined,
  { hash, signatures }: Checking,
): AnchorVerdict {
  const signature = ruleOnSignature(anchors, publicKey, signatures);
  const findings = withFile(file, 'read', (connection) => {
    const stored = new Map(sessionsIn(connection).map((session) => [session.session_id, session]));
    return anchors.heads.map((head) => findingOf(connection, head, stored.get(head.session_id), hash));
  });
  const isSigned = signature === 'good' || (signature === 'none' && publicKey === undefined);
  const isWhole = findings.every(
    ({ verdict }) => verdict === 'unchanged' || verdict === 'grown' || verdict === 'pruned',
  );
  return { signature, findings, ok: isSigned && isWhole };
}

function ruleOnSignature(
  anchors: Anchors,
  publicKey: string | undefined,
  signatures: Signatures,
): AnchorVerdict['signature'] {
  const { signature } = anchors;
  if (signature === null) return 'none';
  if (publicKey !== undefined && publicKey !== signature.public_key) return 'of_another_key';
  return signatures.verify(signature.public_key, signedText(anchors), signature.value) ? 'good' : 'bad';
}

function findingOf(
  { statements }: Connection,
  { session_id, seq, head_hash }: ChainHead,
  session: ListedSession | undefined,
  hash: Hash,
): AnchorFinding {
  const bad = (verdict: 'missing' | 'truncated' | 'rewritten' | 'damaged', message: string): AnchorFinding => ({
    session_id,
    verdict,
    message,
  });
  if (session === undefined) return bad('missing', `session ${session_id} had ${seq} frames and is gone`);
  if (session.seq < seq) return bad('truncated', `session ${session_id} had ${seq} frames and has ${session.seq}`);
  if (isPruned(session)) {
    if (session.seq === seq && session.head_hash !== head_hash)
      return bad('rewritten', `session ${session_id} ended with another frame than ${head_hash}`);
    return { session_id, verdict: 'pruned' };
  }
  try {
    const there = readFrames(statements, hash, session_id, 1)[seq - 1];
    if (there?.hash !== head_hash) return bad('rewritten', `frame ${seq} of session ${session_id} is not ${head_hash}`);
  } catch (error) {
    return bad('damaged', error instanceof Error ? error.message : String(error));
  }
  return { session_id, verdict: session.seq === seq ? 'unchanged' : 'grown' };
}
