/**
 * A process that appends through a thread and then ends as the third argument says, with nothing else to keep it alive.
 *
 *     node exit-process.ts <file> <appends> idle|waiting|closing
 */
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';

const [path = '', appends = '0', leaving = ''] = process.argv.slice(2);
const journal = sqliteJournal({ path, hash: sha256, writer: 'thread' });
const answers = Array.from({ length: Number(appends) }, async (_, index) => {
  const append = draft(sha256, { session: `sess_${index}` });
  await journal.append(append);
  process.stdout.write(`${append.session}\n`);
});
// Idle: the journal stays open without work. Waiting: the process does not await the answers.
if (leaving === 'idle') await Promise.all(answers);
if (leaving === 'closing') await journal.close();
