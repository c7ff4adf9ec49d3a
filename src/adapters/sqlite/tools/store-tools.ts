import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
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
  StoreTools,
} from '../../../ports/store/store-tools.ts';
import { openSqliteConnection, type SqliteConnection } from '../connection.ts';
import { builtin } from '../open-database.ts';
import { readFrames } from '../read.ts';
import { isPruned, toFault } from '../sqlite-fault.ts';
import { checkStoreFile, type ListedSession, sessionsIn, withFile } from './check.ts';
import { pruneStoreFile } from './prune.ts';

interface StoreToolParts {
  readonly hash: Hash;
  readonly signatures: Signatures;
  readonly sign: (privateKey: string, text: string) => string;
}

export function sqliteStoreTools({ hash, signatures, sign }: StoreToolParts): StoreTools {
  return {
    check: (file) => checkStoreFile(resolve(file), hash),
    backup: (file, to) => backupStore(resolve(file), resolve(to)),
    prune: (file, options) => pruneStoreFile(resolve(file), options),
    anchor: (file, options) => anchorStore(resolve(file), options, sign),
    verifyAnchors: (file, anchors, publicKey) => verifyAnchors(resolve(file), anchors, publicKey, { hash, signatures }),
  };
}

/** Copies a store while others write to it. The copy gets its final name only when it is complete. */
async function backupStore(file: string, to: string): Promise<{ readonly bytes: number }> {
  if (existsSync(to)) throw new Fault('input_invalid', `${to} exists already; name a file that does not`);
  const folder = dirname(to);
  if (!existsSync(folder))
    throw new Fault('store_unavailable', `cannot copy to ${to}: the folder ${folder} does not exist`);
  withFile(file, 'read', () => undefined);
  const source = openSqliteConnection(file, { busyTimeoutMs: 5_000, readOnly: true });
  const partial = `${to}.part`;
  try {
    rmSync(partial, { force: true });
    await builtin().backup(source.db, partial);
    renameSync(partial, to);
    return { bytes: statSync(to).size };
  } catch (error) {
    rmSync(partial, { force: true });
    throw toFault(error, `cannot copy ${file} to ${to}`);
  } finally {
    source.db.close();
  }
}

const signedText = ({ kind, at, heads }: Omit<Anchors, 'signature'>): string =>
  canonicalize({ kind, at, heads: heads.map((head) => ({ ...head })) });

function anchorStore(
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
 * Compares a store with its anchors. The chain reveals a change in the middle, and the session's row a missing end. A
 * person with write access can change both consistently; only an anchor kept elsewhere reveals that.
 */
function verifyAnchors(
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
  const isIntact = findings.every(
    ({ verdict }) => verdict === 'unchanged' || verdict === 'grown' || verdict === 'pruned',
  );
  return { signature, findings, ok: isSigned && isIntact };
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
