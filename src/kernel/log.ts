import type { Hash } from '../model/hash.ts';
import { nextRoot } from '../model/list-ref.ts';
import type { Log } from './state.ts';
import { vecPush } from './vec.ts';

/** Appends to a list and moves its root on, so that a checkpoint can name the whole list in two fields. */
export function appendLog(hash: Hash, log: Log, item: string): Log {
  return { items: vecPush(log.items, item), root: nextRoot(hash, log.root, item) };
}
