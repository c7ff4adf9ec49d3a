import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../../test/journal/sqlite-store.ts';
import type { Append } from '../../../ports/journal/journal.ts';
import { draft } from '../../../testing/contracts/journal/draft.ts';
import { sha256 } from '../../node/ids-and-hash.ts';
import { newSharedLockWait } from '../connection.ts';
import { type GroupQueue, groupQueue } from '../group-queue.ts';
import { sqliteJournal } from '../sqlite-journal.ts';
import { type StartThread, startThread } from './messages.ts';
import { threadedWriter } from './threaded-writer.ts';

interface Bench {
  readonly file: string;
  readonly queue: GroupQueue;
  /** All started threads, newest last. */
  readonly workers: readonly Worker[];
  /** The number of a session's frames as another journal reads them. */
  stored(session?: string): Promise<number>;
}

function bench(start: StartThread = startThread): Bench {
  const file = freshFile();
  const workers: Worker[] = [];
  const writer = threadedWriter(
    { file, busyTimeoutMs: 5_000, spent: newSharedLockWait() },
    () => undefined,
    (orders) => {
      const worker = start(orders);
      workers.push(worker);
      return worker;
    },
  );
  const queue = groupQueue(writer);
  onTestFinished(() => queue.end());
  const stored = async (session = 'sess_1'): Promise<number> => {
    const journal = sqliteJournal({ path: file, hash: sha256 });
    const frames = await journal.load(session);
    await journal.close();
    return frames.length;
  };
  return { file, queue, workers, stored };
}

const codes = async (answers: readonly Promise<void>[]): Promise<unknown[]> =>
  (await Promise.allSettled(answers)).map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'stored'));

const chain = (length: number): readonly Append[] => {
  const appends = [draft(sha256)];
  while (appends.length < length) appends.push(draft(sha256, { after: (appends.at(-1) as Append).frame }));
  return appends;
};

const TERMINATIONS: readonly (readonly [string, (worker: Worker) => unknown])[] = [
  ['an uncaught error', (worker) => worker.postMessage('nothing that anybody sends')],
  ['being terminated', (worker) => worker.terminate()],
];

describe('a thread that dies', () => {
  test.each(TERMINATIONS)(
    'of %s leaves its groups unknown, and the next append starts another thread',
    async (_, kill) => {
      const { queue, workers, stored } = bench();
      const [first, second, ...more] = chain(40) as [Append, Append, ...Append[]];
      await queue.add(first);
      kill(workers[0] as Worker);
      // Sent after the message that kills the thread, so it is never read.
      const lost = [second, ...more].map((append) => queue.add(append));
      queue.flush();
      expect(new Set(await codes(lost))).toEqual(new Set(['store_unknown']));
      expect(await stored()).toBe(1);
      await queue.add(second);
      expect(workers).toHaveLength(2);
      expect(await stored()).toBe(2);
    },
  );

  test('loses only the groups it had received: later appends are stored by the next thread', async () => {
    const { file, queue, workers, stored } = bench();
    const [first, second, third] = chain(3) as [Append, Append, Append];
    await queue.add(first);
    // The lock keeps the thread waiting.
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    const received = queue.add(draft(sha256, { session: 'sess_given' }));
    queue.flush();
    const gathered = [second, third].map((append) => queue.add(append));
    const dead = (workers[0] as Worker).terminate();
    other.exec('rollback');
    other.close();
    await dead;
    expect(await codes([received, ...gathered])).toEqual(['store_unknown', 'stored', 'stored']);
    expect([await stored(), workers.length]).toEqual([3, 2]);
  });

  test('had received one more full group while it stored one, but no third', async () => {
    const { file, queue, workers } = bench();
    await queue.add(draft(sha256));
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    const answers = Array.from({ length: 48 }, (_, at) => queue.add(draft(sha256, { session: `sess_of_${at}` })));
    const dead = (workers[0] as Worker).terminate();
    other.exec('rollback');
    other.close();
    await dead;
    const [received, gathered] = [Array(32).fill('store_unknown'), Array(16).fill('stored')];
    expect(await codes(answers)).toEqual([...received, ...gathered]);
  });

  test('before its program started has stored nothing, and the fault says so', async () => {
    const nowhere = new URL('file:///there/is/no/such/program.js');
    const { queue } = bench((workerData) => new Worker(nowhere, { workerData }));
    const answer = queue.add(draft(sha256));
    await expect(answer).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/cannot be started \(.*program\.js.*without \?writer=thread/),
    });
  });

  test('because threads are not allowed stores nothing', async () => {
    const { queue } = bench(() => {
      throw new Error('Access to this API has been restricted');
    });
    expect(await codes([queue.add(draft(sha256))])).toEqual(['store_unavailable']);
  });
});

test('an append that cannot be sent to a thread does not affect the others of its group', async () => {
  const { queue, stored } = bench();
  const odd = draft(sha256, { session: 'sess_odd', row: { agent: (() => 'drafter') as unknown as string } });
  const group = [draft(sha256), odd, draft(sha256, { session: 'sess_2' })];
  expect(await codes(group.map((append) => queue.add(append)))).toEqual(['stored', 'input_invalid', 'stored']);
  expect(await Promise.all(['sess_1', 'sess_odd', 'sess_2'].map(stored))).toEqual([1, 0, 1]);
});

test('end stores all flushed appends and then ends the thread', async () => {
  const { queue, workers, stored } = bench();
  const answers = chain(1_200).map((append) => queue.add(append));
  queue.flush();
  await queue.end();
  expect(new Set(await codes(answers))).toEqual(new Set(['stored']));
  expect(await stored()).toBe(1_200);
  expect(workers.map(({ threadId }) => threadId)).toEqual([-1]);
});

test('starts no thread without an append', async () => {
  const { queue, workers } = bench();
  queue.flush();
  await queue.end();
  expect(workers).toEqual([]);
});
