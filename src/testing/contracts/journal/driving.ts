import assert from 'node:assert/strict';
import type { Driver } from '../../../ports/drivers.ts';
import type { JournalCase } from './case.ts';
import { draft } from './draft.ts';

const driver = (writer: string, until: number): Driver => ({ writer, machine: 'one', pid: 7, since: 1_000, until });

/** What a store that several processes share promises about who drives. One that nobody else can share has no drivers. */
export const DRIVING: readonly JournalCase[] = [
  {
    name: 'who drives is seen by every process, until when it said last, and not once it has left',
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
  {
    name: 'who drives is no part of what happened: it takes no frame, and keeps nobody from writing one',
    run: async ({ hash, open }) => {
      const journal = await open();
      await journal.drivers?.announce(driver('writer_9', 31_000));
      const first = draft(hash);
      await journal.append(first);
      await journal.append(draft(hash, { after: first.frame }));
      assert.equal((await journal.load(first.session)).length, 2);
      assert.equal((await journal.list({})).length, 1);
    },
  },
];
