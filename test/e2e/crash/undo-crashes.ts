import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Kind } from './effect-process.ts';
import type { Moment } from './refund-process.ts';

const HOOK = new URL('./package-is-source.ts', import.meta.url).href;
const SCRIPT = new URL('./undo-process.ts', import.meta.url).pathname;

function runProcess(folder: string, ...args: readonly (string | number)[]): ReturnType<typeof spawnSync> {
  const child = spawnSync(process.execPath, ['--import', HOOK, SCRIPT, folder, ...args.map(String)], {
    encoding: 'utf8',
  });
  if (child.signal === null && child.status !== 0) throw new Error(String(child.stderr));
  return child;
}

interface Found {
  readonly code: string | null;
  readonly effects: readonly (readonly [string, string])[];
  readonly world: readonly string[];
}

function crashed(kind: Kind, moment: Moment, count: number): Found {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-undo-'));
  try {
    expect(runProcess(folder, kind, moment, count), `${kind} ${moment} ${count}`).toMatchObject({ signal: 'SIGKILL' });
    const found = JSON.parse(String(runProcess(folder, kind, 'none', 0).stdout)) as Omit<Found, 'world'>;
    return { ...found, world: readFileSync(join(folder, 'world.txt'), 'utf8').trim().split('\n') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const TIMEOUT_MS = 600_000;
const DONE = ['book one', 'book two'];

/**
 * Registers the tests of a run that is killed with SIGKILL at these moments of its rollback, while another process takes
 * over: no effect is rolled back twice, none is forgotten, and an unknown result is reported as unknown.
 */
export function testUndoCrashes(moments: readonly (readonly [Moment, number])[]): void {
  test.each(['key', 'probed'] as const)(
    'a compensation that is %s: every booking is rolled back once, whenever the process dies',
    (kind) => {
      for (const [moment, count] of moments) {
        const found = crashed(kind, moment, count);
        expect(found, `${moment} ${count}`).toEqual({
          code: 'USER_CANCEL',
          effects: [
            ['a', 'rolled_back'],
            ['b', 'rolled_back'],
          ],
          world: [...DONE, 'unbook two', 'unbook one'],
        });
      }
    },
    TIMEOUT_MS,
  );

  test(
    'a compensation without key and probe: never twice, and the one in flight is reported as unknown',
    () => {
      for (const [moment, count] of moments) {
        const { code, effects, world } = crashed('none', moment, count);
        expect(code, `${moment} ${count}`).toBe('USER_CANCEL');
        expect(new Set(world).size, `${moment} ${count}`).toBe(world.length);
        const isSecond = moment === 'after_call' && count === 2;
        expect(effects, `${moment} ${count}`).toEqual([
          ['a', isSecond ? 'unknown' : 'rolled_back'],
          ['b', isSecond ? 'rolled_back' : 'unknown'],
        ]);
      }
    },
    TIMEOUT_MS,
  );
}
