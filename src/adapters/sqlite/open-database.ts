import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { Fault } from '../../model/fault.ts';

/**
 * Opens a file, and loads `node:sqlite` only then: on a Node.js without it everything else of the package can be
 * imported, and whoever asks for a file is told what to do.
 */
export function openDatabase(file: string, options: DatabaseSyncOptions): DatabaseSync {
  return new (builtin().DatabaseSync)(file, options);
}

type Load = (name: 'node:sqlite') => typeof import('node:sqlite') | undefined;

/** `load` is how this Node.js hands out what it brings along. */
export function builtin(load: Load | undefined = process.getBuiltinModule): typeof import('node:sqlite') {
  const sqlite = load?.('node:sqlite');
  if (sqlite !== undefined) return sqlite;
  throw new Fault(
    'store_unavailable',
    `a sqlite store needs Node.js 24.15 or newer and this is ${process.version}: npm install --save-dev node@24, or store: 'memory'`,
  );
}
