import type { DatabaseSync } from 'node:sqlite';

/**
 * Format 5 had an index of the keys in all ledgers together, and every call that changes something wrote to a random place
 * in it. In format 6 a session's ledger is its own, and is read along the session's chain, where all of its lines stand.
 */
export function from5(db: DatabaseSync): void {
  db.exec('drop table effect_keys');
}
