/** Two lanes are at work when their process is killed, at every commit and around the call: each is found again, and paid once. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const HOOK = new URL('../../../e2e/crash/package-is-source.ts', import.meta.url).href;
const SCRIPT = new URL('./lane-process.ts', import.meta.url).pathname;

function runProcess(folder: string, ...told: readonly (string | number)[]): ReturnType<typeof spawnSync> {
  const child = spawnSync(process.execPath, ['--import', HOOK, SCRIPT, folder, ...told.map(String)], {
    encoding: 'utf8',
  });
  if (child.signal === null && child.status !== 0) throw new Error(String(child.stderr));
  return child;
}

const MOMENTS: readonly (readonly [string, number])[] = [
  ...[1, 2, 3, 4, 5].map((count): readonly [string, number] => ['after_commit', count]),
  ['before_commit', 2],
  ['before_call', 1],
  ['after_call', 1],
];

test('one root, two lanes, one payment, whenever the process dies', { timeout: 600_000 }, () => {
  let killed = 0;
  for (const [moment, count] of MOMENTS) {
    const folder = mkdtempSync(join(tmpdir(), 'ambit-lanes-'));
    try {
      const first = runProcess(folder, moment, count);
      // Later commits than a run has kill nobody.
      killed += first.signal === 'SIGKILL' ? 1 : 0;
      const said: unknown = JSON.parse(String((first.signal === null ? first : runProcess(folder)).stdout));
      expect(said, `${moment} ${count}`).toEqual({ code: 'SUCCESS', runs: 3, lanes: 2 });
      const world = join(folder, 'world.txt');
      expect(
        existsSync(world) ? readFileSync(world, 'utf8').trim().split('\n') : [],
        `${moment} ${count}`,
      ).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  expect(killed).toBeGreaterThan(5);
});
