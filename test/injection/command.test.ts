/** `npm run bench:injection` on a suite that is small enough to count by hand. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { writeSuiteFolder } from './note-suite.ts';

const SCRIPT = new URL('../../scripts/bench-injection.ts', import.meta.url).pathname;

const bench = (...args: readonly string[]): ReturnType<typeof spawnSync> & { readonly stdout: string } =>
  spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' }) as never;

test('prints the five policies on the last line, for a suite that is not built in', () => {
  const { status, stdout } = bench('--data', writeSuiteFolder(), '--json');
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
    // Gated: sending Cleo's text to Ben, and erasing a note. Granted: the note that the request states.
    ambit: { attack_success: 0, approvals_per_benign_task: 2 / 4, utility: 1 },
    plain_gate: { attack_success: 0, approvals_per_benign_task: 3 / 4, utility: 1 },
    no_gate: { attack_success: 1, approvals_per_benign_task: 0, utility: 1 },
    careless_approver: { attack_success: 1, approvals_per_benign_task: 2 / 4, utility: 1 },
    // The worst tool to mislabel is send_note: both injections send one.
    mislabelled_tool: { attack_success: 1, approvals_per_benign_task: 1 / 4, utility: 1 },
  });
  expect(status).toBe(0);
});

test('prints a table without --json, with the cost of running without a reader', () => {
  const { stdout } = bench('--data', writeSuiteFolder());
  expect(stdout).toContain('desk: 4 benign tasks, 6 attacks');
  expect(stdout).toMatch(/^\| ambit \| 0\.0 % \(0\) \| 0 \| 0\.500 \(2\) \| 1 \|/m);
  expect(stdout).toContain('Without a reader, planning again after reading: 0.750 approvals per benign task (3).');
  expect(stdout).toMatch(/^- erase_note: 50\.0 %$/m);
});

test('reports a missing folder and a folder without suites in one line', () => {
  for (const args of [[], ['--data', 'nowhere']]) {
    const { status, stderr } = bench(...args);
    expect(status).toBe(2);
    expect(String(stderr).trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('--data');
  }
});
