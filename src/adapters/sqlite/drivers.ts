import type { DatabaseSync } from 'node:sqlite';
import type { Driver, Drivers } from '../../ports/drivers.ts';
import { plain } from './read.ts';

const ANNOUNCE = `
insert into drivers (writer, machine, pid, since, until) values (?, ?, ?, ?, ?)
on conflict do update set until = excluded.until`;

/** A row that nobody renewed for this long says nothing any more. */
const FORGOTTEN_AFTER_MS = 86_400_000;

/** `ask` runs a question or a change on the connection and words its failures. */
export function sqliteDrivers(ask: <T>(doing: string, run: (db: DatabaseSync) => T) => T): Drivers {
  return {
    announce: async ({ writer, machine, pid, since, until }) =>
      ask('who drives', (db) => {
        const { changes } = db.prepare(ANNOUNCE).run(writer, machine, pid, since, until);
        if (changes > 0) db.prepare('delete from drivers where until < ?').run(until - FORGOTTEN_AFTER_MS);
      }),
    leave: async (writer) =>
      ask('who drives', (db) => {
        db.prepare('delete from drivers where writer = ?').run(writer);
      }),
    drivers: async () =>
      ask('who drives', (db) =>
        db
          .prepare('select writer, machine, pid, since, until from drivers order by since, writer')
          .all()
          .map((row) => plain<Driver>(row)),
      ),
  };
}
