import { Fault } from '../../model/fault/fault.ts';
import type { Address } from '../../model/json/hash.ts';
import type { CheckpointRow, GrantUse, Projections, SessionRow } from './rows.ts';
import type { StandingUse } from './standing-grants.ts';

/** Refusals that a store can detect only while it writes. All stores share the wording. */

export function grantAlreadyUsed(use: GrantUse): Fault {
  return new Fault('grant_stale', `grant ${use.grant_id} has been used; each is good for one call`);
}

export function standingRefused(use: StandingUse, why: string): Fault {
  return new Fault('grant_stale', `standing grant ${use.grant_id} does not cover this call: ${why}`);
}

/**
 * Refuses an intent of a lane whose parent session has ended, or that a run above it permitted before it recorded
 * something more. Returns null for any other append.
 */
export function refuseOrphan(
  { parent, above = [], intents }: Projections,
  row: (session: string) => ParentRow | undefined,
): Fault | null {
  if (parent === undefined || intents.length === 0) return null;
  const code = row(parent)?.terminal_code ?? null;
  if (code !== null) return new Fault('lane_parent_ended', `the parent run ${parent} has ended: ${code}`);
  const moved = above.find(({ session_id, head_hash }) => row(session_id)?.head_hash !== head_hash);
  if (moved === undefined) return null;
  return new Fault(
    'lane_parent_moved',
    `the parent run ${moved.session_id} has recorded something since: read it again`,
  );
}

type ParentRow = Pick<SessionRow, 'terminal_code' | 'head_hash'>;

/**
 * Refuses the first frame of a session whose thread belongs to another user or agent, or has an open session. Stores
 * check it within the append, so that of two messages sent at once only one begins.
 */
export function refuseInThread(
  row: Pick<SessionRow, 'thread' | 'thread_user' | 'agent'>,
  others: readonly ThreadMember[],
): Fault | null {
  const { thread, thread_user, agent } = row;
  if (others.some((other) => other.thread_user !== thread_user)) {
    return new Fault('thread_denied', `thread ${thread} belongs to another user: begin a thread with another id`);
  }
  const other = others.find((member) => member.agent !== agent);
  if (other !== undefined) {
    const fix = `send the message to ${other.agent}, or begin a thread with another id`;
    return new Fault('thread_denied', `thread ${thread} belongs to the agent ${other.agent}: ${fix}`);
  }
  const open = others.find(({ terminal_code }) => terminal_code === null);
  if (open === undefined) return null;
  const fix = 'send the message when it has ended, or cancel it';
  return new Fault('thread_busy', `${open.session_id} in thread ${thread} has not ended (${open.status}): ${fix}`);
}

type ThreadMember = Pick<SessionRow, 'session_id' | 'agent' | 'status' | 'terminal_code' | 'thread_user'>;

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
