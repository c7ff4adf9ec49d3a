import { deepEqual } from 'node:assert/strict';
import { SEED } from '../../adversarial/dice.ts';
import { fuzzEntryPoints } from '../../adversarial/fuzz-entry-points.ts';
import { allPoints } from '../../adversarial/fuzz-points.ts';
import type { Attack, Battery } from '../battery.ts';

const SEEDS = [0, 1, 2].map((at) => SEED + at);

const junk: Attack = {
  name: 'junk for every public entry point raises no raw error and reaches no tool',
  run: async ({ attempt, refuses }) => {
    const { bench, points } = await allPoints();
    for (const point of points) {
      const [raw] = await fuzzEntryPoints([point], SEEDS);
      if (raw === undefined) await attempt(point.name, () => undefined);
      // A refusal that is no fault, so that the battery counts a raw error.
      else await refuses(point.name, () => Promise.reject(new Error(raw.error)));
    }
    await attempt('no call was dispatched', () => deepEqual(bench.dispatches, []));
  },
};

export const fuzz: Battery = { name: 'fuzz', attacks: [junk] };
