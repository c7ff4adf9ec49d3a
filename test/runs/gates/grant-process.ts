/**
 * A process of its own on a journal that others use as well: it says that it is there, waits for a word, asks for so many
 * runs that post to the same place, and tells for each how it came out and whether it posted.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { rig } from '../rig.ts';
import { POSTING } from './posting.ts';

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
