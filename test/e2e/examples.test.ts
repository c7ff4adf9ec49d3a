/** Runs the examples. They check themselves; these tests check that they end, and with which output. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
const TIMEOUT_MS = 120_000;

function run(example: string, ...options: readonly string[]): string {
  const args = ['--import', './test/e2e/crash/package-is-source.ts', `examples/${example}/src/main.ts`, ...options];
  const env = { ...process.env, NODE_NO_WARNINGS: '1', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

test('02: two lanes over an MCP server complete, and the rollback waits for the on-call engineer', {
  timeout: TIMEOUT_MS,
}, () => {
  const output = run('02-incident');
  expect(output.match(/lane_\w+ completed, 1 tool calls/g)).toHaveLength(2);
  expect(output).toContain('GATE_ONCALL shows {"service":"checkout","to":"2026.11.15-1"}');
  expect(output).toContain('Service: checkout. Errors in the last hour: 1204. First error at: 14:02.');
  expect(output).toContain('Release 2026.11.15-2 was deployed at 14:01.');
  expect(output).toContain('The service checkout is running release 2026.11.15-1 again.');
  expect(output).toContain('The lead and both lanes replay to the same bytes');
});

test('03: a session waits at its gate without a process, and another process finishes it', {
  timeout: TIMEOUT_MS,
}, () => {
  const output = run('03-invoice');
  expect(output).toContain('"awaiting_gate": "GATE_FINANCE_APPROVAL"');
  expect(output).toContain('"status": "completed"');
  expect(output).toContain('Invoice inv_22 is over 1200.00 EUR, and 960.00 EUR was agreed.');
  expect(output).toContain('A credit of 240.00 EUR was posted for invoice inv_22.');
  expect(output).toMatch(/One credit, 7 checkpoints, \d+ frames that replay to the same bytes\./);
});

test("04: the runtime sends a misled model's proposal back, and the answer is cited", { timeout: TIMEOUT_MS }, () => {
  const output = run('04-research');
  expect(output).toMatch(/mail\.send .* returned to the model: no such tool/);
  expect(output).toMatch(/SUCCESS: Page tides-2 says: "at new and full moon, .*\."\nproven by ev_4\/quote/);
  expect(run('04-research', '--help')).toContain('Usage: npm run example:research');
});
