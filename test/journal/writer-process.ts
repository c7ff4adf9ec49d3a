/**
 * A process that writes to a journal until it is stopped and reports every acknowledged append.
 *
 * node writer-process.ts <file> <writer> <session,session,…> <acknowledged appends of each session, or 0 for ever>
 * [thread]
 *
 * Several processes may name the same session: a fenced one reloads and tries again.
 */
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';

const [path = '', writer = '', sessions = '', wanted = '0', thread] = process.argv.slice(2);
const journal = sqliteJournal({ path, hash: sha256, writer: thread === 'thread' ? 'thread' : 'inline' });

async function write(session: string): Promise<void> {
  let head = (await journal.load(session)).at(-1);
  for (let acknowledged = 0; wanted === '0' || acknowledged < Number(wanted); ) {
    const events = JSON.stringify([{ type: 'time_passed', at: 1, writer, acknowledged, padding: 'x'.repeat(500) }]);
    const append = draft(sha256, { session, writer, events, ...(head && { after: head }) });
    try {
      await journal.append(append);
      process.stdout.write(`${session} ${append.frame.seq} ${append.frame.hash}\n`);
      head = append.frame;
      acknowledged += 1;
    } catch (error) {
      if (!Fault.is(error) || error.code !== 'fenced') throw error;
      head = (await journal.load(session)).at(-1);
    }
  }
}

await Promise.all(sessions.split(',').map(write));
await journal.close();
