/**
 * A child process on a shared journal: prints "ready", waits for a line on stdin, starts a number of runs that post to
 * the same recipient, and prints the status and number of posts of each run.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { rig } from '../rig.ts';
import { POSTING } from './posting-runs.ts';

const [path = '', name = '', runs = '1'] = process.argv.slice(2);
let count = 0;
const ids = { next: (prefix: string) => `${prefix}_${name}_${++count}` };
const bench = rig({ ...POSTING, world: { journal: sqliteJournal({ path, hash: sha256 }), ids } });

const words = createInterface({ input: process.stdin });
console.log('ready');
await once(words, 'line');
words.close();
for (let run = 0; run < Number(runs); run += 1) {
  const before = bench.dispatches.length;
  const { status } = await bench.invoke();
  console.log(JSON.stringify({ status, posted: bench.dispatches.length - before }));
}
await bench.runtime.close();
