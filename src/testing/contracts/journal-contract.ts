import { ATOMICITY } from './journal/atomicity.ts';
import type { JournalCase } from './journal/case.ts';
import { CONTENT } from './journal/content.ts';
import { DRIVING } from './journal/driving.ts';
import { FAILING } from './journal/failing.ts';
import { INTEGRITY } from './journal/integrity.ts';
import { ORDERING } from './journal/ordering.ts';
import { READING } from './journal/reading.ts';
import { STOPPING } from './journal/stopping.ts';
import { KEPT_TEXTS } from './journal/stored-texts.ts';
import { THREADS } from './journal/threads.ts';

export type { JournalCase, JournalStore, Tampering } from './journal/case.ts';

/**
 * The tests that every journal must pass. Give each case an empty store:
 *
 *     for (const { name, run } of JOURNAL_CONTRACT) test(name, async () => run(await emptyStore()));
 */
export const JOURNAL_CONTRACT: readonly JournalCase[] = [
  ...ORDERING,
  ...ATOMICITY,
  ...CONTENT,
  ...KEPT_TEXTS,
  ...INTEGRITY,
  ...READING,
  ...STOPPING,
  ...DRIVING,
  ...THREADS,
  ...FAILING,
];
