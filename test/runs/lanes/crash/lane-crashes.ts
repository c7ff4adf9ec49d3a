import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

const HOOK = new URL('../../../e2e/crash/package-is-source.ts', import.meta.url).href;
const SCRIPT = new URL('./lane-process.ts', import.meta.url).pathname;

function runProcess(folder: string, ...args: readonly (string | number)[]): ReturnType<typeof spawnSync> {
  const child = spawnSync(process.execPath, ['--import', HOOK, SCRIPT, folder, ...args.map(String)], {
    encoding: 'utf8',
  });
  if (child.signal === null && child.status !== 0) throw new Error(String(child.stderr));
  return child;
}

/**
 * Kills a run with two lanes at each moment and lets a second process finish it: both lanes return and one payment is
 * made. Returns the number of runs that were killed; a run may end before a late commit.
 */
export function expectLanesSurvive(moments: readonly (readonly [string, number])[]): number {
  let killed = 0;
  for (const [moment, count] of moments) {
    const folder = mkdtempSync(join(tmpdir(), 'ambit-lanes-'));
    try {
      const first = runProcess(folder, moment, count);
      killed += first.signal === 'SIGKILL' ? 1 : 0;
      const report: unknown = JSON.parse(String((first.signal === null ? first : runProcess(folder)).stdout));
      expect(report, `${moment} ${count}`).toEqual({ code: 'SUCCESS', runs: 3, lanes: 2 });
      const world = join(folder, 'world.txt');
      expect(
        existsSync(world) ? readFileSync(world, 'utf8').trim().split('\n') : [],
        `${moment} ${count}`,
      ).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return killed;
}
