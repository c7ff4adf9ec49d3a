/**
 * A payment loses its process at every instant that has a name, with a tool of each kind, and another process takes over:
 * nothing is done twice, nothing is lost, and what nobody can know is put before a person.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CrashedRun, type Swept, sweepCrashes } from '../../src/testing/crash-sweep/sweep.ts';
import { KINDS, type Kind, type Standing } from './kinds.ts';

const SCRIPT = new URL('./sweep-process.ts', import.meta.url).pathname;
const LONG = 600_000;

interface Seen extends Standing {
  readonly effects: number;
}

function look({ said, folder }: CrashedRun): Seen {
  const world = join(folder, 'world.txt');
  const effects = existsSync(world) ? readFileSync(world, 'utf8').trim().split('\n').length : 0;
  return { ...(JSON.parse(said) as Standing), effects };
}

const sweep = async (kind: Kind): Promise<readonly Swept<Seen>[]> =>
  await sweepCrashes({ command: (folder) => [process.execPath, SCRIPT, folder, kind] }, look);

const GATED = ['gate', 'gate decision'] as const;
const EVERY_RUN = ['goal', 'plan', 'intent', 'pay', 'observation', 'verdict', 'terminal'] as const;

/** Both sides of everything that a run of this kind comes to. */
const pointsOf = (kind: Kind): readonly string[] =>
  [...EVERY_RUN, ...(kind === 'read_only' ? [] : GATED)].flatMap((mark) => [`before ${mark}`, `after ${mark}`]);

/** The intent is durable and what came of it is not. */
function isBetween(swept: readonly Swept<Seen>[], { instant }: Swept<Seen>): boolean {
  const at = (name: string): number => swept.find(({ names }) => names.includes(name))?.instant ?? Number.NaN;
  return instant >= at('after intent') && instant <= at('before observation');
}

describe('killed at every named instant', () => {
  test.each(KINDS.filter((kind) => kind !== 'neither'))(
    'a tool that is %s: the run ends, with one effect',
    async (kind) => {
      const swept = await sweep(kind);
      expect(new Set(swept.flatMap(({ names }) => names))).toEqual(new Set(pointsOf(kind)));
      for (const { names, seen } of swept) {
        expect(seen, names.join()).toMatchObject({ code: 'SUCCESS', waits: null });
        // Whoever only looks may look again.
        if (kind === 'read_only') expect(seen.effects, names.join()).toBeGreaterThanOrEqual(1);
        else expect(seen.effects, names.join()).toBe(1);
      }
    },
    LONG,
  );

  test(
    'a tool without key and without probe: one effect, or a person who finds out whether there was one',
    async () => {
      const swept = await sweep('neither');
      expect(new Set(swept.flatMap(({ names }) => names))).toEqual(new Set(pointsOf('neither')));
      for (const one of swept) {
        const { names, seen } = one;
        if (isBetween(swept, one)) {
          expect(seen, names.join()).toMatchObject({ code: null, waits: 'call_in_doubt' });
          expect(seen.effects, names.join()).toBe(
            names.includes('after intent') || names.includes('before pay') ? 0 : 1,
          );
        } else expect(seen, names.join()).toEqual({ code: 'SUCCESS', waits: null, effects: 1 });
      }
    },
    LONG,
  );
});

test('a program that comes to no crash point is told so, and so is one that fails', async () => {
  const sweepOf = async (code: string): Promise<unknown> =>
    await sweepCrashes({ command: () => [process.execPath, '-e', code] }, () => null);
  await expect(sweepOf('0')).rejects.toThrow('no crash points');
  await expect(sweepOf('throw new Error("no such file")')).rejects.toThrow('no such file');
});
