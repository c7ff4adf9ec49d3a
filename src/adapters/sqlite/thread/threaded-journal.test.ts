import { existsSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../../test/journal/sqlite-store.ts';
import type { Append, Journal } from '../../../ports/journal/journal.ts';
import { effectRow } from '../../../testing/contracts/journal/case.ts';
import { draft } from '../../../testing/contracts/journal/draft.ts';
import { sha256 } from '../../node/ids-and-hash.ts';
import { sqliteJournal } from '../sqlite-journal.ts';

function open(path: string): Journal {
  const journal = sqliteJournal({ path, hash: sha256, writer: 'thread' });
  onTestFinished(() => journal.close());
  return journal;
}

const sessions = (count: number): readonly Append[] =>
  Array.from({ length: count }, (_, index) => draft(sha256, { session: `sess_${index}` }));

test('a resolved append can be read, in this journal and in any other', async () => {
  const path = freshFile();
  const [writer, reader] = [open(path), open(path)];
  const found = await Promise.all(
    sessions(200).map(async (append) => {
      await writer.append(append);
      const [ours, others] = await Promise.all([writer.load(append.session), reader.load(append.session)]);
      return ours.length + others.length;
    }),
  );
  expect(new Set(found)).toEqual(new Set([2]));
});

test('drivers and switches can be written while the thread writes', async () => {
  const journal = open(freshFile());
  const flood = Promise.all(sessions(1_000).map((append) => journal.append(append)));
  const driver = { writer: 'w_1', machine: 'here', pid: 1, since: 1, until: 2 };
  const thrown = { by: 'ana', reason: 'a drill', at: 1 };
  for (let at = 0; at < 50; at += 1) {
    await journal.drivers?.announce({ ...driver, until: at + 2 });
    await journal.throwSwitch({ switch_id: `switch_${at}`, scope: { tool: 'none' }, thrown, lifted: null });
    await journal.load('sess_0');
  }
  await flood;
  expect(await journal.drivers?.drivers()).toEqual([{ ...driver, until: 51 }]);
  expect(await journal.killSwitches()).toHaveLength(50);
  expect(await journal.list({})).toHaveLength(1_000);
});

test('changing rows after they were sent does not change what is stored', async () => {
  const path = freshFile();
  const [journal, other] = [open(path), open(path)];
  const effect = effectRow({ idempotency_key: 'key_1', session_id: 'sess_1' });
  const group = [draft(sha256, { rows: { effects: [effect], intents: [effect.tool] } }), ...sessions(20).slice(2)];
  const answers = group.map((append) => journal.append(append));
  // A group of this size is sent at once, so the change comes after it.
  const sent = { ...effect };
  Object.assign(effect, { tool: 'other' });
  await Promise.all(answers);
  expect(await journal.effect('sess_1', 'key_1')).toEqual(sent);
  expect(await other.effect('sess_1', 'key_1')).toEqual(sent);
});

test('the log is copied back while the file is in use, long before a commit would have to', async () => {
  const path = freshFile();
  const journal = open(path);
  const events = JSON.stringify([{ type: 'time_passed', at: 1, note: 'all the same'.repeat(300) }]);
  await Promise.all(
    Array.from({ length: 500 }, (_, at) => journal.append(draft(sha256, { session: `s_${at}`, events }))),
  );
  // Another thread copies and sends no message when it is done, so this polls.
  await expect.poll(() => statSync(path).size, { timeout: 20_000 }).toBeGreaterThan(150_000);
  await journal.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test('rejects fault points with a writing thread', () => {
  const options = { path: freshFile(), hash: sha256, writer: 'thread', faults: () => undefined } as const;
  expect(() => sqliteJournal(options)).toThrow(expect.objectContaining({ code: 'input_invalid' }));
});

test('rejects appends to a read-only journal', async () => {
  const path = freshFile();
  await open(path).append(draft(sha256));
  const journal = sqliteJournal({ path, hash: sha256, writer: 'thread', readOnly: true });
  await expect(journal.append(draft(sha256, { session: 'sess_2' }))).rejects.toMatchObject({
    code: 'store_unavailable',
  });
  expect(await journal.load('sess_1')).toHaveLength(1);
  await journal.close();
});
