import assert from 'node:assert/strict';
import type { Driver } from '../../../ports/journal/scheduler.ts';
import { type JournalCase, journalCase } from './case.ts';
import { draft } from './draft.ts';

const driver = (writer: string, until: number): Driver => ({ writer, machine: 'one', pid: 7, since: 1_000, until });

/** The registry of drivers in a store that several processes share. A store for one process has none. */
export const DRIVING: readonly JournalCase[] = [
  {
    name: 'shows every process the current drivers, with their last deadline, until they leave',
    run: async ({ open }) => {
      const { drivers } = await open();
      const { drivers: elsewhere } = await open();
      assert.equal(drivers === undefined, elsewhere === undefined);
      if (drivers === undefined || elsewhere === undefined) return;
      assert.deepEqual(await elsewhere.drivers(), []);
      await drivers.announce(driver('writer_1', 31_000));
      await drivers.announce(driver('writer_2', 31_000));
      await drivers.announce(driver('writer_1', 41_000));
      assert.deepEqual(
        (await elsewhere.drivers()).toSorted((a, b) => a.writer.localeCompare(b.writer)),
        [driver('writer_1', 41_000), driver('writer_2', 31_000)],
      );
      await elsewhere.leave('writer_2');
      await elsewhere.leave('writer_9');
      assert.deepEqual(await drivers.drivers(), [driver('writer_1', 41_000)]);
    },
  },
  journalCase('keeps drivers out of the frames and does not lock sessions for them', async (journal, { hash }) => {
    await journal.drivers?.announce(driver('writer_9', 31_000));
    const first = draft(hash);
    await journal.append(first);
    await journal.append(draft(hash, { after: first.frame }));
    assert.equal((await journal.load(first.session)).length, 2);
    assert.equal((await journal.list({})).length, 1);
  }),
];
