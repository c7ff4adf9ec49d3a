/**
 * A child process on a shared journal that approves a gate or resumes its run. It prints "ready" before its first write,
 * waits for a line on stdin, and prints the result. Its clock stands still, so no limit expires while it waits.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { Fault } from '../../../src/index.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { operator, rig } from '../rig.ts';
import { PAYING } from './paying-run.ts';

const [path = '', action = '', runId = '', gateId = '', packetHash = ''] = process.argv.slice(2);
const words = createInterface({ input: process.stdin });
const store = sqliteJournal({ path, hash: sha256 });
let isHeld = true;
let ids = 0;
const journal: Journal = {
  ...store,
  append: async (append) => {
    if (isHeld) {
      isHeld = false;
      console.log('ready');
      await once(words, 'line');
    }
    await store.append(append);
  },
};
const { runtime, dispatches } = rig({
  ...PAYING,
  plans: [],
  world: { journal, ids: { next: (prefix) => `${prefix}_${action}_${++ids}` } },
});
const act = (): Promise<{ readonly terminalCode: string | null }> =>
  action === 'approve'
    ? runtime.approve(gateId, { packetHash, credential: operator('bo'), reason: 'fine' })
    : runtime.resume(runId);
const result = await act().then(
  ({ terminalCode }) => ({ ended: terminalCode }),
  (error: unknown) => ({ fault: Fault.is(error) ? error.code : String(error) }),
);
console.log(JSON.stringify({ ...result, paid: dispatches.filter(({ tool }) => tool === 'pay').length }));
words.close();
await runtime.close();
