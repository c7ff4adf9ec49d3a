import { z } from 'zod';
import type { Hash } from './hash.ts';

/** A list that only grows, named by its length and by a hash over all of it: two fields, however long it is. */
export interface ListRef {
  readonly upto: number;
  readonly root: string;
}
export const ListRef: z.ZodType<ListRef> = z.strictObject({
  upto: z.int().nonnegative(),
  root: z.string().regex(/^([0-9a-f]{64})?$/, 'must be empty or 64 lower-case hex digits'),
});

/** The root of a list with nothing in it. */
export const EMPTY_ROOT = '';

/** The root after one more item. Each covers the one before, so no item can be changed, moved or left out. */
export function nextRoot(hash: Hash, root: string, item: string): string {
  return hash(`${root}\n${item}`);
}

/** Whether a reference stands for exactly these items. */
export function matchesList(ref: ListRef, items: readonly string[], hash: Hash): boolean {
  const root = items.reduce((soFar, item) => nextRoot(hash, soFar, item), EMPTY_ROOT);
  return ref.upto === items.length && ref.root === root;
}
