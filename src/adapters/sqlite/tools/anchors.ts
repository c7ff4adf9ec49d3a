import { GENESIS } from '../../../model/events/frame.ts';
import { Fault } from '../../../model/fault/fault.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import type { Hash } from '../../../model/json/hash.ts';
import type { Signatures } from '../../../ports/keys.ts';
import type {
  AnchorFinding,
  AnchorOptions,
  Anchors,
  AnchorVerdict,
  ChainHead,
  PermissionFinding,
} from '../../../ports/store/store-tools.ts';
import type { SqliteConnection } from '../connection.ts';
import { isSignedBySigner, readPermissionHead, readPermissions } from '../permissions/permission-chain.ts';
import { keptRows } from '../permissions/prunings.ts';
import type { PermissionRecord } from '../permissions/records.ts';
import { readFrames } from '../read.ts';
import { isPruned } from '../sqlite-fault.ts';
import { type ListedSession, sessionsIn, withFile } from './check.ts';

const signedText = ({ kind, at, heads, permissions }: Omit<Anchors, 'signature'>): string =>
  canonicalize({
    kind,
    at,
    heads: heads.map((head) => ({ ...head })),
    ...(permissions === undefined ? {} : { permissions: { ...permissions } }),
  });

export function anchorStore(
  file: string,
  { now, session, key }: AnchorOptions,
  sign: (privateKey: string, text: string) => string,
): Anchors {
  const { heads, permissions } = withFile(file, { access: 'read' }, (connection) => ({
    heads: sessionsIn(connection)
      .filter(({ session_id }) => session === undefined || session === session_id)
      .map(({ session_id, seq, head_hash }): ChainHead => ({ session_id, seq, head_hash })),
    permissions: readPermissionHead(connection.statements),
  }));
  if (session !== undefined && heads.length === 0)
    throw new Fault('session_not_found', `there is no session ${session} in ${file}`);
  const body = { kind: 'ambit_anchors@2', at: now, heads, permissions } as const;
  if (key === undefined) return { ...body, signature: null };
  return { ...body, signature: { public_key: key.publicKey, value: sign(key.privateKey, signedText(body)) } };
}

/**
 * Compares a store with its anchors. The chain reveals a change in the middle, and the session's row a missing end. A
 * person with write access can change both consistently; only an anchor kept elsewhere reveals that.
 */
export function verifyAnchors(
  file: string,
  anchors: Anchors,
  publicKey: string | undefined,
  { hash, signatures }: { readonly hash: Hash; readonly signatures: Signatures },
): AnchorVerdict {
  const signature = ruleOnSignature(anchors, publicKey, signatures);
  const signer = anchors.signature?.public_key ?? publicKey ?? null;
  const { findings, permissions } = withFile(file, { access: 'read' }, (connection) => {
    const stored = new Map(sessionsIn(connection).map((session) => [session.session_id, session]));
    const prunings = prunedSessions(connection, signer);
    return {
      findings: anchors.heads.map((head) =>
        findingOf(connection, head, { row: stored.get(head.session_id), pruned: prunings.get(head.session_id), hash }),
      ),
      permissions: comparePermissions(connection, anchors.permissions),
    };
  });
  const isSigned = signature === 'good' || (signature === 'none' && publicKey === undefined);
  const isIntact = findings.every(
    ({ verdict }) => verdict === 'unchanged' || verdict === 'grown' || verdict === 'pruned',
  );
  const arePermissions = ['unchanged', 'grown', 'not_anchored'].includes(permissions.verdict);
  return { signature, findings, permissions, ok: isSigned && isIntact && arePermissions };
}

/** The heads of sessions whose pruning is recorded; with `signer`, recorded and signed by that key. */
function prunedSessions({ db, permissions, statements }: SqliteConnection, signer: string | null): Prunings {
  const heads = new Map<string, Pick<ChainHead, 'seq' | 'head_hash'>>();
  try {
    // Verifies the chain. If it is damaged, no record of it proves that a session was pruned.
    permissions.current();
  } catch {
    return heads;
  }
  const { count } = readPermissionHead(statements);
  for (const stored of readPermissions(statements, 0, count)) {
    const record = JSON.parse(stored.record) as PermissionRecord;
    if (record.kind !== 'session_pruned') continue;
    if (signer !== null && (stored.signer !== signer || !isSignedBySigner(stored))) continue;
    const { session_id, seq, head_hash, kept } = record.pruning;
    if (keptRows(db, session_id) === kept) heads.set(session_id, { seq, head_hash });
  }
  return heads;
}

type Prunings = ReadonlyMap<string, Pick<ChainHead, 'seq' | 'head_hash'>>;

function comparePermissions(
  { permissions, statements }: SqliteConnection,
  anchored: Anchors['permissions'],
): PermissionFinding {
  if (anchored === undefined) return { verdict: 'not_anchored' };
  const { count, hash } = anchored;
  try {
    permissions.current();
  } catch (error) {
    return { verdict: 'damaged', message: error instanceof Error ? error.message : String(error) };
  }
  const now = readPermissionHead(statements);
  if (now.count < count)
    return { verdict: 'truncated', message: `the store had ${count} permission records and has ${now.count}` };
  const there = count === 0 ? GENESIS : readPermissions(statements, count - 1, count)[0]?.hash;
  if (there !== hash) return { verdict: 'rewritten', message: `permission record ${count} is not ${hash}` };
  return { verdict: now.count === count ? 'unchanged' : 'grown' };
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
  { statements }: SqliteConnection,
  { session_id, seq, head_hash }: ChainHead,
  {
    row: session,
    pruned,
    hash,
  }: {
    readonly row: ListedSession | undefined;
    readonly pruned: Pick<ChainHead, 'seq' | 'head_hash'> | undefined;
    readonly hash: Hash;
  },
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
    if (pruned?.seq !== session.seq || pruned.head_hash !== session.head_hash)
      return bad('damaged', `the frames of session ${session_id} are gone, and no record of its pruning proves why`);
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
