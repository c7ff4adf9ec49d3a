/**
 * A run that takes its effects back is killed with SIGKILL between the intent of a call that does it and the record of its answer, and another
 * process takes over: nothing is taken back twice, nothing is forgotten, and what nobody can know is said to be unknown.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Kind } from './effect-process.ts';
import type { Moment } from './refund-process.ts';

const HOOK = new URL('./package-is-source.ts', import.meta.url).href;
const SCRIPT = new URL('./undo-process.ts', import.meta.url).pathname;

/** After the cancel: its own commit holds the first intent, the second commit its answer and the next intent. */
const MOMENTS: readonly (readonly [Moment, number])[] = [
  ['after_commit', 1],
  ['after_call', 1],
  ['before_commit', 2],
  ['after_call', 2],
];

function runProcess(folder: string, ...told: readonly (string | number)[]): ReturnType<typeof spawnSync> {
  const child = spawnSync(process.execPath, ['--import', HOOK, SCRIPT, folder, ...told.map(String)], {
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
    const said = JSON.parse(String(runProcess(folder, kind, 'none', 0).stdout)) as Omit<Found, 'world'>;
    return { ...said, world: readFileSync(join(folder, 'world.txt'), 'utf8').trim().split('\n') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const DONE = ['book one', 'book two'];

test.each(['key', 'probed'] as const)(
  'what takes back is %s: every booking is taken back once, whenever the process dies',
  (kind) => {
    for (const [moment, count] of MOMENTS) {
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
  600_000,
);

test('what takes back has neither key nor probe: never twice, and what was under way is said to be unknown', () => {
  for (const [moment, count] of MOMENTS) {
    const { code, effects, world } = crashed('none', moment, count);
    expect(code, `${moment} ${count}`).toBe('USER_CANCEL');
    expect(new Set(world).size, `${moment} ${count}`).toBe(world.length);
    const isSecond = moment === 'after_call' && count === 2;
    expect(effects, `${moment} ${count}`).toEqual([
      ['a', isSecond ? 'unknown' : 'rolled_back'],
      ['b', isSecond ? 'rolled_back' : 'unknown'],
    ]);
  }
}, 600_000);
