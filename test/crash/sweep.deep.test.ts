/** A payment loses its process at every crash point, with the kinds of tools that are safe to repeat or to probe. */
import { expect, test } from 'vitest';
import { KINDS } from './kinds.ts';
import { sweepKind } from './sweep-kind.ts';

test.each(KINDS.filter((kind) => kind !== 'neither'))(
  'a tool that is %s: the run ends with one effect, wherever the process is killed',
  async (kind) => {
    for (const { names, seen } of await sweepKind(kind)) {
      expect(seen, names.join()).toMatchObject({ code: 'SUCCESS', waits: null });
      // A read may be repeated.
      if (kind === 'read_only') expect(seen.effects, names.join()).toBeGreaterThanOrEqual(1);
      else expect(seen.effects, names.join()).toBe(1);
    }
  },
  600_000,
);
