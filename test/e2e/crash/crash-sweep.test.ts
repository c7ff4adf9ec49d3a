/**
 * The process is killed with SIGKILL at every commit and around every call of the refund, and another one takes over.
 * The world must look as if nothing had happened: one refund, the same verdict, and a journal that derives it again.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import type { Moment } from './refund-process.ts';

const HOOK = new URL('./package-is-source.ts', import.meta.url).href;
const SCRIPT = new URL('./refund-process.ts', import.meta.url).pathname;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ambit-crash-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function runProcess(moment: Moment | 'none', count: number): { readonly signal: string | null; readonly said: string } {
  const child = spawnSync(process.execPath, ['--import', HOOK, SCRIPT, folder, moment, String(count)], {
    encoding: 'utf8',
  });
  if (child.signal === null && child.status !== 0) throw new Error(child.stderr);
  return { signal: child.signal, said: child.stdout };
}

function payments(): readonly string[] {
  const lines = readFileSync(join(folder, 'ledger.txt'), 'utf8').trim().split('\n');
  return lines.filter((line) => line.startsWith('adp_payments.issue_refund'));
}

function expectAllWell(said: string): void {
  const { code, verdict, replayed } = JSON.parse(said);
  expect({ code, replayed }).toEqual({ code: 'SUCCESS', replayed: 'SUCCESS' });
  expect(verdict.step_scores.map(({ step_id }: { step_id: string }) => step_id)).toEqual(['s1', 's2', 's3']);
  expect(payments()).toHaveLength(1);
}

test('without a crash: one refund', () => {
  expectAllWell(runProcess('none', 0).said);
});

const MOMENTS: readonly (readonly [Moment, number])[] = [
  ...[1, 2, 3, 4, 5, 6].flatMap((n): [Moment, number][] => [
    ['before_commit', n],
    ['after_commit', n],
  ]),
  ...[1, 2, 3].flatMap((n): [Moment, number][] => [
    ['before_call', n],
    ['after_call', n],
  ]),
];

verifies(
  ['session:durable:survives-restart', 'plan:execution:progress-saved-per-step'],
  'killed at every commit and around every call, the run ends as if nothing had happened',
  () => {
    for (const [moment, count] of MOMENTS) {
      rmSync(folder, { recursive: true, force: true });
      folder = mkdtempSync(join(tmpdir(), 'ambit-crash-'));
      expect(runProcess(moment, count), `${moment} ${count}`).toMatchObject({ signal: 'SIGKILL' });
      expectAllWell(runProcess('none', 0).said);
    }
  },
  { timeout: 600_000 },
);
