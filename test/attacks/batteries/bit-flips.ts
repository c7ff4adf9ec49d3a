import { deepEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { originalOf } from '../../store/alter.ts';
import { bitFlips, unnoticedBits } from '../../store/alterations.ts';
import { buildSmallStore } from '../../store/small-store.ts';
import type { Attack, Battery } from '../battery.ts';

const FLIPS = 300;

const flips: Attack = {
  name: 'a flipped bit of the file is found, or every read gives the same answer or a fault',
  run: async ({ attempt }) => {
    const folder = mkdtempSync(join(tmpdir(), 'ambit-attack-'));
    try {
      const path = join(folder, 'store.db');
      await buildSmallStore(path);
      const original = await originalOf(path);
      for (const bit of bitFlips(original, { seed: 300, count: FLIPS }))
        await attempt(`bit ${bit}`, async () => {
          deepEqual((await unnoticedBits(original, join(folder, 'flipped.db'), [bit])).unnoticed, []);
        });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

export const bitFlipsBattery: Battery = { name: 'bit flips', attacks: [flips] };
