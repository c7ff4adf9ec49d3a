/** Journals that fail where a test says so. */
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { Fault } from '../../../src/model/fault.ts';
import type { Append, Journal } from '../../../src/ports/journal.ts';

export interface FailingJournal {
  readonly journal: Journal;
  /** The same store as another process sees it: nothing fails there. */
  readonly store: Journal;
  readonly refused: () => number;
}

/** Cannot be reached for as many matching appends as it is told to refuse. */
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

/** Everything is stored, but the process that asked dies before it hears of it, after `count` appends. */
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
