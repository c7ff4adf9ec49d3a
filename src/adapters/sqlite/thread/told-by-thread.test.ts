/** What crosses from the thread that writes: where each frame is, what it has in the ledger, and why one was refused. */
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../../test/journal/sqlite-store.ts';
import { Fault } from '../../../model/fault.ts';
import { draft } from '../../../testing/contracts/journal/draft.ts';
import { effectRow } from '../../../testing/contracts/journal/rows.ts';
import { sha256 } from '../../node/sha256.ts';
import { type GroupQueue, groupQueue } from '../group-queue.ts';
import { outcomeOf, refusedAppend } from './messages.ts';
import { type Remember, threadedWriter } from './threaded-writer.ts';

function open(file: string, remember: Remember): GroupQueue {
  const queue = groupQueue(threadedWriter({ file, busyTimeoutMs: 5_000 }, remember));
  onTestFinished(() => queue.end());
  return queue;
}

test('who remembers is told the row of each frame of a group with its own ledger lines, and that one refused has none', async () => {
  const told: unknown[] = [];
  const queue = open(freshFile(), (session, row, effects) => told.push([session, row, effects]));
  const lines = ['sess_1', 'sess_2'].map((session_id) =>
    effectRow({ idempotency_key: `key_${session_id}`, session_id }),
  );
  const group = lines.map((effect) =>
    draft(sha256, { session: effect.session_id, rows: { effects: [effect], intents: [effect.tool] } }),
  );
  await Promise.all(group.map((append) => queue.add(append)));
  const unheard = draft(sha256, { session: 'sess_3' });
  await expect(queue.add(draft(sha256, { after: unheard.frame }))).rejects.toThrow(Fault);
  expect(told).toEqual([
    ['sess_1', 1, [lines[0]]],
    ['sess_2', 2, [lines[1]]],
    ['sess_3', null, []],
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
  expect([outcomeOf(7), outcomeOf(null)]).toEqual([null, null]);
});

test('a thread that has ended has let go of the file: nothing of it lies beside it', async () => {
  const file = freshFile();
  const queue = open(file, () => undefined);
  await queue.add(draft(sha256));
  await queue.end();
  expect([existsSync(file), existsSync(`${file}-wal`)]).toEqual([true, false]);
});
