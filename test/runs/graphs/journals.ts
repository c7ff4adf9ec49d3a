/** Journals that fail at a chosen append. */
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { Append, Journal } from '../../../src/ports/journal/journal.ts';

export interface FailingJournal {
  readonly journal: Journal;
  /** The same store as another process sees it, without failures. */
  readonly store: Journal;
  readonly refused: () => number;
}

/** A journal that is unavailable for the first `times` matching appends. */
export function outage(matches: (append: Append) => boolean, times: number): FailingJournal {
  const store = memoryJournal({ hash: sha256 });
  let refused = 0;
  const append: Journal['append'] = async (wanted) => {
    if (refused < times && matches(wanted)) {
      refused += 1;
      throw new Fault('store_unavailable', 'the disk is gone');
    }
    await store.append(wanted);
  };
  return { journal: { ...store, append }, store, refused: () => refused };
}

/** A journal whose process dies after append `count` is stored, before it learns the result. */
export function dyingAfter(count: number): FailingJournal {
  const store = memoryJournal({ hash: sha256 });
  let appends = 0;
  let refused = 0;
  const append: Journal['append'] = async (wanted) => {
    if (appends >= count) {
      refused += 1;
      throw new Fault('internal', 'this process is dead');
    }
    await store.append(wanted);
    appends += 1;
    if (appends === count) throw new Fault('internal', 'this process is dead');
  };
  return { journal: { ...store, append }, store, refused: () => refused };
}

export const holds =
  (type: string): ((append: Append) => boolean) =>
  ({ frame }) =>
    frame.events.includes(`"type":"${type}"`);
