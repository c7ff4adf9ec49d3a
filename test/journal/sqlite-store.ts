import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { Notes } from '../../src/adapters/sqlite/extras.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import type { StoreWriter } from '../../src/model/run/store-name.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import type { JournalStore, Tampering } from '../../src/testing/contracts/journal-contract.ts';

/** The path of a new file in a folder that is removed with the test. */
export function freshFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'journal.db');
}

/**
 * A real file for one case of the contract; every journal opened on it is closed with the test. A journal with an
 * injected fault always writes inline.
 */
export function emptySqliteStore(writer: StoreWriter = 'inline'): JournalStore {
  const path = freshFile();
  const opened: Journal[] = [];
  onTestFinished(async () => {
    for (const journal of opened) await journal.close();
  });
  return {
    hash: sha256,
    open: async (faults) => {
      const journal = sqliteJournal({ path, hash: sha256, ...(faults ? { faults } : { writer }) });
      opened.push(journal);
      return journal;
    },
    tamper: async (change) => {
      const db = new DatabaseSync(path);
      tamper(db, change);
      db.close();
    },
  };
}

const FRAME = 'sid = (select sid from sessions where session_id = ?) and seq = ?';

function tamper(db: DatabaseSync, change: Tampering): void {
  const move = db.prepare(`update frames set seq = ? where ${FRAME}`);
  switch (change.kind) {
    case 'alter_blob':
      alterText(db, change.address, change.text);
      break;
    case 'alter_frame': {
      const { events, hash = null, session, seq } = change;
      const alter = db.prepare(`update frames set events = ?, hash = ifnull(?, hash) where ${FRAME}`);
      alter.run(events, hash, session, seq);
      break;
    }
    case 'remove_frame':
      db.prepare(`delete from frames where ${FRAME}`).run(change.session, change.seq);
      break;
    case 'swap_frames':
      move.run(-1, change.session, change.seq);
      move.run(change.seq, change.session, change.seq + 1);
      move.run(change.seq + 1, change.session, -1);
      break;
  }
}

/**
 * Alters a stored text, either the shared copy or the one next to the frame that refers to it. The length stays the
 * same.
 */
function alterText(db: DatabaseSync, address: string, text: string): void {
  db.prepare('update blobs set text = ? where address = ?').run(text, address);
  for (const { row, notes, texts } of db.prepare('select row, notes, texts from extras').all()) {
    const kept = (JSON.parse(String(notes)) as Notes).t?.find(([named]) => named === address);
    if (kept === undefined) continue;
    const [, place, length] = kept;
    const altered = String(texts).slice(0, place) + text + String(texts).slice(place + length);
    db.prepare('update extras set texts = ? where row = ?').run(altered, row as number);
  }
}
