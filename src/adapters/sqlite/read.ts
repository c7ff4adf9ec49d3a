import type { StatementSync } from 'node:sqlite';
import { Fault } from '../../model/fault.ts';
import { type Frame, type FrameLink, GENESIS } from '../../model/frame.ts';
import type { Address, Hash } from '../../model/hash.ts';
import type { StoredCheckpoint } from '../../ports/journal.ts';
import type { CheckpointRow, EffectRow, SessionRow } from '../../ports/journal-rows.ts';
import { verifyLoaded, verifyText } from '../../ports/journal-rules/verify-stored.ts';
import type { Statements } from './statements.ts';

/**
 * The head is read first and the frames up to it, so that frames another process adds in between are left for the
 * next reading instead of looking like damage.
 */
export function readFrames(statements: Statements, hash: Hash, session: string, fromSeq: number): readonly Frame[] {
  const head = one<SessionRow>(statements.session, session);
  const anchor = fromSeq === 1 ? undefined : one<{ readonly hash: Address }>(statements.frameAt, session, fromSeq - 1);
  const before: FrameLink | undefined = fromSeq === 1 ? GENESIS : anchor?.hash;
  let prev: FrameLink = before ?? GENESIS;
  const rows = statements.framesFrom.all(session, fromSeq, head?.seq ?? Number.MAX_SAFE_INTEGER);
  const frames = rows.map((row) => {
    const frame = Object.freeze({ session, ...row, prev }) as unknown as Frame;
    prev = frame.hash;
    return frame;
  });
  verifyLoaded({ session, fromSeq, frames, before, head }, hash);
  return frames;
}

export function readBlob(statements: Statements, hash: Hash, address: Address): string {
  return verifyText(address, textAt(statements, address), hash);
}

export function readCheckpoint(statements: Statements, hash: Hash, checkpointId: string): StoredCheckpoint {
  const row = one<CheckpointRow>(statements.checkpoint, checkpointId);
  if (row === undefined) throw new Fault('blob_missing', `there is no checkpoint ${checkpointId}`);
  return { row, text: verifyText(row.address, textAt(statements, row.address), hash, 'checkpoint_corrupt') };
}

export function readLatestCheckpoint(statements: Statements, session: string): CheckpointRow | null {
  return one<CheckpointRow>(statements.latestCheckpoint, session) ?? null;
}

export function readEffects(statements: Statements, session: string): readonly EffectRow[] {
  return statements.effects.all(session).map((row) => plain<EffectRow>(row));
}

export function readEffect(statements: Statements, key: string): EffectRow | null {
  return one<EffectRow>(statements.effect, key) ?? null;
}

const textAt = (statements: Statements, address: Address): string | undefined =>
  one<{ readonly text: string }>(statements.blob, address)?.text;

function one<Row>(statement: StatementSync, ...key: (string | number)[]): Row | undefined {
  const row = statement.get(...key);
  return row === undefined ? undefined : plain<Row>(row);
}

/** The columns are named like the fields, and strict tables hold their types: a row is what it says it is. */
export function plain<Row>(row: object): Row {
  return Object.freeze({ ...row }) as Row;
}
