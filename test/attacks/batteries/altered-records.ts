/** Attempts to pay by a genuine decision in a record that was changed around it. */
import { deepEqual } from 'node:assert/strict';
import { ALTERED, inStoreFile } from '../altered-record.ts';
import type { Attack } from '../battery.ts';

export const alteredRecord: Attack = {
  name: 'a record is changed around a genuine decision',
  run: async ({ attempt }) => {
    for (const [name, expected, attack] of ALTERED) {
      await attempt(name, async () => {
        const { code, sent } = await inStoreFile(attack);
        deepEqual([code, sent], [expected, 0]);
      });
    }
  },
};
