import type { DatabaseSync } from 'node:sqlite';
import type { Driver, Drivers } from '../../ports/drivers.ts';
import { plain } from './read.ts';

/** Made by whoever drives first. It is no part of the journal's format: what it says is true for a few seconds. */
const TABLE = `
create table if not exists drivers (
  writer text not null primary key,
  machine text not null,
  pid integer not null,
  since integer not null,
  until integer not null
) strict, without rowid`;

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
        if (!isThere(db)) db.exec(TABLE);
        db.prepare(ANNOUNCE).run(writer, machine, pid, since, until);
        db.prepare('delete from drivers where until < ?').run(until - FORGOTTEN_AFTER_MS);
      }),
    leave: async (writer) =>
      ask('who drives', (db) => {
        if (isThere(db)) db.prepare('delete from drivers where writer = ?').run(writer);
      }),
    drivers: async () =>
      ask('who drives', (db) => {
        if (!isThere(db)) return [];
        const rows = db.prepare('select writer, machine, pid, since, until from drivers order by since, writer').all();
        return rows.map((row) => plain<Driver>(row));
      }),
  };
}

function isThere(db: DatabaseSync): boolean {
  return db.prepare("select 1 from sqlite_schema where type = 'table' and name = 'drivers'").get() !== undefined;
}
