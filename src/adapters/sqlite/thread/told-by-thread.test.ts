/** What crosses from the thread that writes: whether all that a frame intends is new, and why one was refused. */
import { existsSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../../test/journal/sqlite-store.ts';
import { Fault } from '../../../model/fault.ts';
import type { Frame } from '../../../model/frame.ts';
import type { EffectRow } from '../../../ports/journal-rows.ts';
import { draft } from '../../../testing/contracts/journal/draft.ts';
import { effectRow } from '../../../testing/contracts/journal/rows.ts';
import { sha256 } from '../../node/sha256.ts';
import { type GroupQueue, groupQueue } from '../group-queue.ts';
import type { JustIntended } from '../just-intended.ts';
import { patient } from '../patience.ts';
import { outcomeOf, refusedAppend } from './messages.ts';
import { type StartThread, startThread } from './start-thread.ts';
import { threadedWriter } from './threaded-writer.ts';

function open(file: string, note: JustIntended['note'], start: StartThread = startThread): GroupQueue {
  const queue = groupQueue(threadedWriter({ file, busyTimeoutMs: 5_000, spent: patient() }, note, start));
  onTestFinished(() => queue.end());
  return queue;
}

test('who remembers is told what each frame of a group intends anew, and nothing of one that was refused or intends again', async () => {
  const told: unknown[] = [];
  const queue = open(freshFile(), (session, intents) => told.push([session, intents]));
  const lines = ['sess_1', 'sess_2'].map((session_id) =>
    effectRow({ idempotency_key: `key_${session_id}`, session_id }),
  );
  const group = lines.map((effect) =>
    draft(sha256, { session: effect.session_id, rows: { effects: [effect], intents: [effect.tool] } }),
  );
  await Promise.all(group.map((append) => queue.add(append)));
  const unheard = draft(sha256, { session: 'sess_3' });
  const line = effectRow({ idempotency_key: 'key_sess_3', session_id: 'sess_3' });
  const refused = draft(sha256, { after: unheard.frame, rows: { effects: [line] } });
  await expect(queue.add(refused)).rejects.toThrow(Fault);
  const again = draft(sha256, { after: group[0]?.frame as Frame, rows: { effects: [lines[0] as EffectRow] } });
  await queue.add(again);
  expect(told).toEqual([
    ['sess_1', [lines[0]]],
    ['sess_2', [lines[1]]],
    ['sess_3', []],
    ['sess_1', []],
  ]);
});

test('who remembers is told nothing of what a thread took with it: it may be stored, and what it settles settled', async () => {
  const told: unknown[] = [];
  const workers: Worker[] = [];
  const start: StartThread = (orders) => {
    const worker = startThread(orders);
    workers.push(worker);
    return worker;
  };
  const queue = open(freshFile(), (session, intents) => told.push([session, intents]), start);
  const line = effectRow({ idempotency_key: 'key_1', session_id: 'sess_1' });
  const intent = draft(sha256, { rows: { effects: [line] } });
  await queue.add(intent);
  workers[0]?.terminate();
  const lost = draft(sha256, { after: intent.frame, rows: { effects: [{ ...line, state: 'settled' }] } });
  await expect(queue.add(lost)).rejects.toThrow(expect.objectContaining({ code: 'store_unknown' }));
  expect(told).toEqual([
    ['sess_1', [line]],
    ['sess_1', []],
  ]);
});

test('a refusal is the same fault on this side, its place included', () => {
  const fault = new Fault('input_invalid', 'no such row', { path: '/projections/gates/0' });
  const { code, message, path } = fault;
  expect(outcomeOf(structuredClone(refusedAppend(fault)))).toMatchObject({ code, message, path });
  expect(outcomeOf(refusedAppend(new Fault('store_unavailable', 'no room')))).not.toHaveProperty(
    'path',
    expect.anything(),
  );
  expect([outcomeOf(true), outcomeOf(false)]).toEqual([null, null]);
});

test('a thread that has ended has let go of the file: nothing of it lies beside it', async () => {
  const file = freshFile();
  const queue = open(file, () => undefined);
  await queue.add(draft(sha256));
  await queue.end();
  expect([existsSync(file), existsSync(`${file}-wal`)]).toEqual([true, false]);
});
