import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Fault } from '../../model/fault/fault.ts';

/**
 * Opens a file and loads `node:sqlite` only then, so that the rest of the package can be imported on a Node.js without
 * it. Opening a file there gives a message that says what to do.
 */
export function openDatabase(file: string, options: DatabaseSyncOptions): DatabaseSync {
  return new (builtin().DatabaseSync)(file, options);
}

type Load = (name: 'node:sqlite') => typeof import('node:sqlite') | undefined;

/** `load` returns a built-in module of this Node.js. */
export function builtin(load: Load | undefined = process.getBuiltinModule): typeof import('node:sqlite') {
  const sqlite = load?.('node:sqlite');
  if (sqlite !== undefined) return sqlite;
  throw new Fault(
    'store_unavailable',
    `a sqlite store needs Node.js 24.15 or newer and this is ${process.version}: npm install --save-dev node@24, or store: 'memory'`,
  );
}

/** Below this length, compressing a text takes longer than writing it. */
const LARGE = 4_096;

/** Returns a text as it is stored: compressed bytes if it is large and shrinks, otherwise the text itself. */
export function packText(text: string): string | Uint8Array {
  if (text.length < LARGE) return text;
  const bytes = Buffer.from(text, 'utf8');
  const packed = zstdCompressSync(bytes);
  return packed.length < bytes.length * 0.9 ? packed : text;
}

export function unpackText(stored: string | Uint8Array): string {
  return typeof stored === 'string' ? stored : zstdDecompressSync(stored).toString('utf8');
}
