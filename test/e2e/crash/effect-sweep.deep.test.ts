/**
 * A payment is killed with SIGKILL at every commit and around its call, with a tool of each kind, and another process
 * takes over: no effect happens twice, none is lost, and a person decides about an unknown result.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Moment } from './refund-process.ts';

const HOOK = new URL('./package-is-source.ts', import.meta.url).href;
const SCRIPT = new URL('./effect-process.ts', import.meta.url).pathname;

const MOMENTS: readonly (readonly [Moment, number])[] = [
  ['before_commit', 1],
  ['after_commit', 1],
  ['before_commit', 2],
  ['after_commit', 2],
  ['before_call', 1],
  ['after_call', 1],
  ['before_commit', 3],
];

function runProcess(folder: string, ...args: readonly (string | number)[]): ReturnType<typeof spawnSync> {
  const child = spawnSync(process.execPath, ['--import', HOOK, SCRIPT, folder, ...args.map(String)], {
    encoding: 'utf8',
  });
  if (child.signal === null && child.status !== 0) throw new Error(child.stderr);
  return child;
}

const effectsIn = (folder: string): number => {
  const world = join(folder, 'world.txt');
  return existsSync(world) ? readFileSync(world, 'utf8').trim().split('\n').length : 0;
};

interface Found {
  readonly code: string | null;
  readonly waits: string | null;
  readonly effects: number;
}

function crashed(kind: string, moment: Moment, count: number): Found {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-effects-'));
  try {
    expect(runProcess(folder, kind, moment, count), `${kind} ${moment} ${count}`).toMatchObject({ signal: 'SIGKILL' });
    const found = JSON.parse(String(runProcess(folder, kind, 'none', 0).stdout)) as Omit<Found, 'effects'>;
    return { ...found, effects: effectsIn(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each(['key', 'natural', 'probed'] as const)(
  'a tool that is %s: one effect, whenever the process dies',
  (kind) => {
    for (const [moment, count] of MOMENTS) {
      expect(crashed(kind, moment, count), `${moment} ${count}`).toEqual({ code: 'SUCCESS', waits: null, effects: 1 });
    }
  },
  600_000,
);

test('a tool without key and probe: one effect, or a person decides whether it happened', () => {
  for (const [moment, count] of MOMENTS) {
    const found = crashed('none', moment, count);
    const sent = moment.endsWith('call') || (moment === 'after_commit' && count === 2) || count === 3;
    const expected = sent ? { code: null, waits: 'call_in_doubt' } : { code: 'SUCCESS', waits: null, effects: 1 };
    expect(found, `${moment} ${count}`).toMatchObject(expected);
    expect(found.effects).toBeLessThanOrEqual(1);
  }
}, 600_000);
