import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { Fault } from '../../model/fault.ts';
import type { Append } from '../../ports/journal.ts';
import type { Projections, SessionRow } from '../../ports/journal-rows.ts';
import {
  blobNotStored,
  checkpointTaken,
  grantAlreadyUsed,
  rowOfAnotherSession,
  tenantChanged,
} from '../../ports/journal-rules/append-refusals.ts';
import { type Place, ruleOnPlace } from '../../ports/journal-rules/place-ruling.ts';
import { isForeignKeyFailure } from './sqlite-fault.ts';
import type { Statements } from './statements.ts';

/** Writes one append inside an open savepoint, which the caller undoes when this throws; false if it was stored before. */
export function writeAppend(statements: Statements, append: Append): boolean {
  const { frame, blobs, projections, session } = append;
  const { seq, at, writer, events, hash, prev } = frame;
  if (!changes(statements.insertFrame, session, seq, at, writer, events, hash, prev)) {
    const ruling = ruleOnPlace(append, readPlace(statements, append));
    if (ruling === 'stored') return false;
    throw ruling === 'free' ? new Fault('internal', `frame ${seq} of ${session} was refused for no reason`) : ruling;
  }
  for (const { address, text } of blobs) statements.insertBlob.run(address, text);
  writeSession(statements, projections.session);
  writeRows(statements, projections);
  return true;
}

function readPlace(statements: Statements, { frame, session }: Append): Place {
  return {
    there: (statements.frameAt.get(session, frame.seq) as unknown as Place['there'] | undefined) ?? null,
    before: (statements.frameAt.get(session, frame.seq - 1) as unknown as Place['before'] | undefined) ?? null,
    session: (statements.session.get(session) as unknown as SessionRow | undefined) ?? null,
  };
}

function writeSession(statements: Statements, row: SessionRow): void {
  const values = [
    row.session_id,
    row.node,
    row.seq,
    row.head_hash,
    row.updated_at,
    row.last_seen,
    row.status,
    row.wake_at,
    row.terminal_code,
    row.tenant_id,
    row.agent,
    row.intent,
  ];
  if (changes(statements.moveSession, ...values) || changes(statements.upsertSession, ...values)) return;
  throw tenantChanged(row);
}

function writeRows(statements: Statements, { gates, effects, grants, checkpoints }: Projections): void {
  const { upsertGate, upsertEffect, insertGrantUse, insertCheckpoint } = statements;
  for (const row of gates) {
    const { gate_id, session_id, tenant_id, name, kind, status, packet_hash, opened_at, expires_at } = row;
    if (!changes(upsertGate, gate_id, session_id, tenant_id, name, kind, status, packet_hash, opened_at, expires_at))
      throw rowOfAnotherSession('gate', gate_id);
  }
  for (const row of effects) {
    const { idempotency_key, session_id, step_id, tool, args_hash, state, result } = row;
    const isWritten = referring(result, () =>
      changes(upsertEffect, idempotency_key, session_id, step_id, tool, args_hash, state, result),
    );
    if (!isWritten) throw rowOfAnotherSession('effect', idempotency_key);
  }
  for (const row of grants) {
    if (!changes(insertGrantUse, row.grant_id, row.session_id, row.step_id, row.used_at)) throw grantAlreadyUsed(row);
  }
  for (const row of checkpoints) {
    const { checkpoint_id, session_id, seq, address } = row;
    if (!referring(address, () => changes(insertCheckpoint, checkpoint_id, session_id, seq, address)))
      throw checkpointTaken(row);
  }
}

/** Names the blob that is missing, which SQLite's own words for a broken reference do not. */
function referring(address: Projections['effects'][number]['result'], write: () => boolean): boolean {
  try {
    return write();
  } catch (error) {
    throw address !== null && isForeignKeyFailure(error) ? blobNotStored(address) : error;
  }
}

function changes(statement: StatementSync, ...values: SQLInputValue[]): boolean {
  return statement.run(...values).changes !== 0;
}
