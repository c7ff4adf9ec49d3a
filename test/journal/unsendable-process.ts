/**
 * A process whose only append cannot be sent to its writer thread.
 *
 *     node unsendable-process.ts <file>
 */
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';

const [path = ''] = process.argv.slice(2);
const journal = sqliteJournal({ path, hash: sha256, writer: 'thread' });
const odd = draft(sha256, { row: { agent: (() => 'drafter') as unknown as string } });
await journal.append(odd).catch((error: unknown) => process.stdout.write(String(Reflect.get(error as object, 'code'))));
