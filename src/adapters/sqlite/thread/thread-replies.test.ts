/** Tests the replies of the writing thread: whether a frame's intents are new, and why an append was refused. */
import { existsSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../../test/journal/sqlite-store.ts';
import type { Frame } from '../../../model/events/frame.ts';
import { Fault } from '../../../model/fault/fault.ts';
import type { EffectRow } from '../../../ports/journal/rows.ts';
import { effectRow } from '../../../testing/contracts/journal/case.ts';
import { draft } from '../../../testing/contracts/journal/draft.ts';
import { sha256 } from '../../node/ids-and-hash.ts';
import { newSharedLockWait } from '../connection.ts';
import { type GroupQueue, groupQueue } from '../group-queue.ts';
import type { RecentIntents } from '../known-sessions.ts';
import { refusedAppend, replyOutcome, type StartThread, startThread } from './messages.ts';
import { threadedWriter } from './threaded-writer.ts';

function open(file: string, note: RecentIntents['note'], start: StartThread = startThread): GroupQueue {
  const queue = groupQueue(threadedWriter({ file, busyTimeoutMs: 5_000, spent: newSharedLockWait() }, note, start));
  onTestFinished(() => queue.end());
  return queue;
}

test('reports the new intents of each stored frame, and none for a refused frame or a repeated intent', async () => {
  const notes: unknown[] = [];
  const queue = open(freshFile(), (session, intents) => notes.push([session, intents]));
  const lines = ['sess_1', 'sess_2'].map((session_id) =>
    effectRow({ idempotency_key: `key_${session_id}`, session_id }),
  );
  const group = lines.map((effect) =>
    draft(sha256, { session: effect.session_id, rows: { effects: [effect], intents: [effect.tool] } }),
  );
  await Promise.all(group.map((append) => queue.add(append)));
  const unsent = draft(sha256, { session: 'sess_3' });
  const line = effectRow({ idempotency_key: 'key_sess_3', session_id: 'sess_3' });
  const refused = draft(sha256, { after: unsent.frame, rows: { effects: [line] } });
  await expect(queue.add(refused)).rejects.toThrow(Fault);
  const again = draft(sha256, { after: group[0]?.frame as Frame, rows: { effects: [lines[0] as EffectRow] } });
  await queue.add(again);
  expect(notes).toEqual([
    ['sess_1', [lines[0]]],
    ['sess_2', [lines[1]]],
    ['sess_3', []],
    ['sess_1', []],
  ]);
});

test('reports no intents for a frame lost with its thread, which may be stored', async () => {
  const notes: unknown[] = [];
  const workers: Worker[] = [];
  const start: StartThread = (orders) => {
    const worker = startThread(orders);
    workers.push(worker);
    return worker;
  };
  const queue = open(freshFile(), (session, intents) => notes.push([session, intents]), start);
  const line = effectRow({ idempotency_key: 'key_1', session_id: 'sess_1' });
  const intent = draft(sha256, { rows: { effects: [line] } });
  await queue.add(intent);
  workers[0]?.terminate();
  const lost = draft(sha256, { after: intent.frame, rows: { effects: [{ ...line, state: 'settled' }] } });
  await expect(queue.add(lost)).rejects.toThrow(expect.objectContaining({ code: 'store_unknown' }));
  expect(notes).toEqual([
    ['sess_1', [line]],
    ['sess_1', []],
  ]);
});

test('restores a refusal as the same fault, with its path', () => {
  const fault = new Fault('input_invalid', 'no such row', { path: '/projections/gates/0' });
  const { code, message, path } = fault;
  expect(replyOutcome(structuredClone(refusedAppend(fault)))).toMatchObject({ code, message, path });
  expect(replyOutcome(refusedAppend(new Fault('store_unavailable', 'no room')))).not.toHaveProperty(
    'path',
    expect.anything(),
  );
  expect([replyOutcome(true), replyOutcome(false)]).toEqual([null, null]);
});

test('an ended thread has closed the file and leaves no log', async () => {
  const file = freshFile();
  const queue = open(file, () => undefined);
  await queue.add(draft(sha256));
  await queue.end();
  expect([existsSync(file), existsSync(`${file}-wal`)]).toEqual([true, false]);
});
