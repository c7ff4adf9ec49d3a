import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../model/fault.ts';
import { from3 } from './from-3.ts';
import { from4 } from './from-4.ts';
import { from5 } from './from-5.ts';

/** How a file of each released format becomes one of the next. What was released stays here for ever. */
const STEPS: ReadonlyMap<number, (db: DatabaseSync) => void> = new Map([
  [3, from3],
  [4, from4],
  [5, from5],
]);

/** The oldest format that can still be opened. */
export const OLDEST: number = Math.min(...STEPS.keys());

/**
 * Takes a file forward, format by format, in one transaction: a process that dies in between leaves the file as it was,
 * and of two that try at once the second finds it done.
 */
export function migrate(db: DatabaseSync, file: string, to: number): void {
  // What tables refer to is taken away and put back in between; it is checked as a whole before the commit.
  db.exec('pragma foreign_keys = off');
  try {
    db.exec('begin immediate');
    for (let version = versionOf(db); version < to; version += 1) {
      const step = STEPS.get(version);
      if (step === undefined)
        throw new Fault('store_version_unsupported', `${file} has journal format ${version}, which nothing reads`);
      step(db);
      db.exec(`pragma user_version = ${version + 1}`);
    }
    if (db.prepare('pragma foreign_key_check').get() !== undefined)
      throw new Fault('store_corrupt', `${file} refers to rows that it does not have; it was left as it is`);
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  } finally {
    db.exec('pragma foreign_keys = on');
  }
}

const versionOf = (db: DatabaseSync): number => Number(db.prepare('pragma user_version').get()?.['user_version']);
