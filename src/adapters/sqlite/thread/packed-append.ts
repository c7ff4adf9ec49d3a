import type { Frame } from '../../../model/events/frame.ts';
import type { Blob } from '../../../model/json/blob.ts';
import type { Append } from '../../../ports/journal/journal.ts';
import type { CheckpointRow, EffectRow, Projections, SessionRow } from '../../../ports/journal/rows.ts';

/**
 * An append as it is sent to the thread: its values in a fixed order, because copying property names costs more than
 * their values. Values that `checkAppend` has proven equal (session, seq, writer, hash) are sent once.
 */
export type PackedAppend = readonly unknown[];

/** Rare parts of an append, sent unpacked. */
type Rare = Pick<
  Projections,
  'gates' | 'grants' | 'parent' | 'above' | 'through' | 'workers' | 'standing' | 'imported'
>;

export function packAppend({ frame, blobs, projections }: Append): PackedAppend {
  const { session, intents, effects, checkpoints } = projections;
  const values: unknown[] = [frame.session, frame.seq, frame.at, frame.writer, frame.events, frame.prev, frame.hash];
  values.push(session.tenant_id, session.agent, session.intent, session.status, session.node);
  values.push(session.started_at, session.updated_at, session.wake_at, session.terminal_code, session.last_seen);
  values.push(session.thread, session.thread_user, session.mode);
  values.push(blobs.length, effects.length, checkpoints.length, intents, rareOf(projections));
  for (const { address, text } of blobs) values.push(address, text);
  for (const { idempotency_key, step_id, tool, args_hash, state, result } of effects)
    values.push(idempotency_key, step_id, tool, args_hash, state, result);
  for (const { checkpoint_id, address } of checkpoints) values.push(checkpoint_id, address);
  return values;
}

function rareOf(projections: Projections): Rare | null {
  const { gates, grants, parent, above, through, workers, standing, imported } = projections;
  const isLane = (parent ?? above ?? through ?? workers) !== undefined;
  const isThere = isLane || gates.length > 0 || grants.length > 0 || (standing ?? imported) !== undefined;
  if (!isThere) return null;
  const { session, intents, effects, checkpoints, ...rare } = projections;
  return rare;
}

export function unpackAppend(values: PackedAppend): Append {
  let place = 0;
  const next = <T>(): T => {
    const value = values[place] as T;
    place += 1;
    return value;
  };
  const frame: Frame = {
    session: next(),
    seq: next(),
    at: next(),
    writer: next(),
    events: next(),
    prev: next(),
    hash: next(),
  };
  const { session: session_id, seq, writer, hash: head_hash } = frame;
  const session: SessionRow = {
    session_id,
    seq,
    head_hash,
    tenant_id: next(),
    agent: next(),
    intent: next(),
    status: next(),
    node: next(),
    started_at: next(),
    updated_at: next(),
    wake_at: next(),
    terminal_code: next(),
    last_seen: next(),
    thread: next(),
    thread_user: next(),
    mode: next(),
  };
  const counts = { blobs: next<number>(), effects: next<number>(), checkpoints: next<number>() };
  const intents = next<readonly string[]>();
  const rare = next<Rare | null>() ?? NOTHING_RARE;
  const listOf = <T>(length: number, one: () => T): readonly T[] => {
    const list: T[] = [];
    while (list.length < length) list.push(one());
    return list;
  };
  const blobs = listOf(counts.blobs, (): Blob => ({ address: next(), text: next() }));
  const effects = listOf(
    counts.effects,
    (): EffectRow => ({
      session_id,
      idempotency_key: next(),
      step_id: next(),
      tool: next(),
      args_hash: next(),
      state: next(),
      result: next(),
    }),
  );
  const checkpoints = listOf(
    counts.checkpoints,
    (): CheckpointRow => ({ session_id, seq, checkpoint_id: next(), address: next() }),
  );
  const projections: Projections = { ...rare, session, intents, effects, checkpoints };
  return { session: session_id, expectedSeq: seq - 1, frame, blobs, projections, writer };
}

const NOTHING_RARE: Rare = { gates: [], grants: [] };
