import { Fault } from '../../../model/fault.ts';
import { type Address, addressOfText, type Hash } from '../../../model/hash.ts';
import { pointerToken } from '../../../model/pointer.ts';
import type { StoreProblem, StoreReport } from '../../../ports/store-tools.ts';
import type { Connection } from '../connection.ts';
import { checkpointsIn, type Notes, resultsIn, textIn } from '../extras.ts';
import { unpackText } from '../packed-text.ts';
import { isPruned } from '../pruned.ts';
import { findText, readFrames } from '../read.ts';
import { SCHEMA_VERSION } from '../schema.ts';
import { sessionsIn, withFile } from './reading.ts';

/** Reads everything there is and holds it against its hashes. Whatever is wrong is listed; nothing is repaired. */
export function checkStore(file: string, hash: Hash): StoreReport {
  return withFile(file, 'read', (connection) => {
    const sessions = sessionsIn(connection);
    const problems: StoreProblem[] = [...fileProblems(connection)];
    let frames = 0;
    for (const { session_id, last_row } of sessions) {
      if (isPruned({ last_row })) continue;
      const place = `/sessions${pointerToken(session_id)}`;
      try {
        frames += readFrames(connection.statements, hash, session_id, 1).length;
      } catch (error) {
        problems.push({ place: `${place}${Fault.is(error) ? (error.path ?? '') : ''}`, message: messageOf(error) });
      }
    }
    const texts = [...keptTexts(connection, hash, problems), ...sharedTexts(connection, hash, problems)];
    return {
      file,
      format: SCHEMA_VERSION,
      sessions: sessions.length,
      frames,
      texts: texts.length,
      pruned: sessions.filter(isPruned).length,
      problems,
    };
  });
}

/** What SQLite itself finds wrong with its pages, its indexes and its references. */
function* fileProblems({ db }: Connection): Generator<StoreProblem> {
  for (const row of db.prepare('pragma integrity_check').all()) {
    const found = String(Object.values(row)[0]);
    if (found !== 'ok') yield { place: '', message: found };
  }
  for (const row of db.prepare('pragma foreign_key_check').all())
    yield {
      place: `/${String(row['table'])}`,
      message: `refers to a row of ${String(row['parent'])} that is not there`,
    };
}

/** Texts beside frames, and what checkpoints and the ledger refer to. */
function* keptTexts({ db, statements }: Connection, hash: Hash, problems: StoreProblem[]): Generator<Address> {
  const rows = db.prepare(
    'select x.row, notes, texts, f.seq, s.session_id, s.last_row from extras x left join frames f using (row) left join sessions s using (sid)',
  );
  for (const stored of rows.iterate()) {
    const { row, seq, session_id, last_row } = stored as {
      row: number;
      seq: number;
      session_id: string;
      last_row: number;
    };
    const place = `/sessions${pointerToken(String(session_id))}/frames/${seq}`;
    const notes = parsed(String(stored['notes']));
    if (notes === null || session_id === null) {
      problems.push({ place, message: `what stands beside row ${row} belongs to no frame or cannot be read` });
      continue;
    }
    const events = (): string => unpackText((statements.frame.get(row)?.['events'] ?? '') as string);
    for (const [address] of notes.t ?? []) {
      yield address;
      if (!isText(textIn(notes, address, String(stored['texts']), events), address, hash))
        problems.push({ place, message: `what is stored under ${address} was altered` });
    }
    const referred = [...checkpointsIn(notes).map(([, address]) => address), ...resultsIn(notes)];
    for (const address of referred) {
      if (notes.t?.some(([kept]) => kept === address)) continue;
      if (findText(statements, address, { last_row }) === undefined)
        problems.push({ place, message: `refers to ${address}, which is not in the store` });
    }
  }
}

function parsed(notes: string): Notes | null {
  try {
    return JSON.parse(notes) as Notes;
  } catch {
    return null;
  }
}

function* sharedTexts({ db }: Connection, hash: Hash, problems: StoreProblem[]): Generator<Address> {
  for (const row of db.prepare('select address, text from blobs').iterate()) {
    const address = row['address'] as Address;
    yield address;
    if (!isText(unpackedOrNull(row['text'] as string | Uint8Array), address, hash))
      problems.push({
        place: `/blobs${pointerToken(address)}`,
        message: `what is stored under ${address} was altered`,
      });
  }
}

function unpackedOrNull(stored: string | Uint8Array): string | undefined {
  try {
    return unpackText(stored);
  } catch {
    return undefined;
  }
}

const isText = (text: string | undefined, address: Address, hash: Hash): boolean =>
  text !== undefined && addressOfText(hash, text) === address;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
