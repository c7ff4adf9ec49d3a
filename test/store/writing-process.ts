/** A thread that appends frames to a session until it is told to stop, and counts them. */
import { workerData } from 'node:worker_threads';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';

interface Orders {
  readonly path: string;
  /** The number of appended frames, and 1 when the thread shall stop. */
  readonly written: Int32Array;
  /** The events of every frame. */
  readonly events: string;
}

const { path, written, events } = workerData as Orders;
const journal = sqliteJournal({ path, hash: sha256 });
let append = draft(sha256, { session: 'run_open', events });
while (Atomics.load(written, 1) === 0) {
  await journal.append(append);
  append = draft(sha256, { after: append.frame, events });
  Atomics.add(written, 0, 1);
  Atomics.notify(written, 0);
}
await journal.close();
