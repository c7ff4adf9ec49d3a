import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Moment } from './refund-process.ts';

const HOOK = new URL('./package-is-source.ts', import.meta.url).href;
const SCRIPT = new URL('./refund-process.ts', import.meta.url).pathname;

function runProcess(
  folder: string,
  moment: Moment | 'none',
  count: number,
): { readonly signal: string | null; readonly output: string } {
  const child = spawnSync(process.execPath, ['--import', HOOK, SCRIPT, folder, moment, String(count)], {
    encoding: 'utf8',
  });
  if (child.signal === null && child.status !== 0) throw new Error(child.stderr);
  return { signal: child.signal, output: child.stdout };
}

/** Runs the refund to its end: one payment, a verdict over all steps, and a journal that replays to the same code. */
function expectOneRefund(folder: string): void {
  const { code, verdict, replayed } = JSON.parse(runProcess(folder, 'none', 0).output);
  expect({ code, replayed }).toEqual({ code: 'SUCCESS', replayed: 'SUCCESS' });
  expect(verdict.step_scores.map(({ step_id }: { step_id: string }) => step_id)).toEqual(['s1', 's2', 's3']);
  const ledger = readFileSync(join(folder, 'ledger.txt'), 'utf8').trim().split('\n');
  expect(ledger.filter((line) => line.startsWith('adp_payments.issue_refund'))).toHaveLength(1);
}

/** Kills the refund with SIGKILL at each moment, every time in a new folder, and lets a second process finish it. */
export function expectRefundSurvives(moments: readonly (readonly [Moment, number])[]): void {
  for (const [moment, count] of moments)
    inFolder((folder) => {
      expect(runProcess(folder, moment, count), `${moment} ${count}`).toMatchObject({ signal: 'SIGKILL' });
      expectOneRefund(folder);
    });
}

export function expectRefundWithoutCrash(): void {
  inFolder(expectOneRefund);
}

function inFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-crash-'));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
