/** A thread that appends frames to a session until it is stopped. It notes a prune that is under way. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';

interface Orders {
  readonly path: string;
  /** 1 to stop the thread, and the number of frames that it wrote during a prune. */
  readonly written: Int32Array;
  /** The events of every frame. */
  readonly events: string;
}

const { path, written, events } = workerData as Orders;
const db = new DatabaseSync(path, { readOnly: true });
const rows = db.prepare('select count(*) filter (where last_row = 0) as pruned, count(*) as all_rows from sessions');
const journal = sqliteJournal({ path, hash: sha256 });
let append = draft(sha256, { session: 'run_open', events });
while (Atomics.load(written, 0) === 0) {
  await journal.append(append);
  append = draft(sha256, { after: append.frame, events });
  const { pruned, all_rows } = rows.get() ?? {};
  // The session of this thread is not pruned.
  if (Number(pruned) > 0 && Number(pruned) < Number(all_rows) - 1) Atomics.add(written, 1, 1);
  parentPort?.postMessage('written');
}
await journal.close();
db.close();
