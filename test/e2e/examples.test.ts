/** The examples as somebody runs them. They check themselves; here it is checked that they end, and with what. */
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

test('02: two lanes over an MCP server come back, and the way back waits for whoever is on call', {
  timeout: TIMEOUT_MS,
}, () => {
  const told = run('02-incident');
  expect(told.match(/lane_\w+ completed, took 1 calls/g)).toHaveLength(2);
  expect(told).toContain('GATE_ONCALL is shown {"service":"checkout","to":"2026.11.15-1"}');
  expect(told).toContain('The lead and both lanes replay to the same bytes');
});

test('03: a session waits at its gate while its process is gone, and another one finishes it', {
  timeout: TIMEOUT_MS,
}, () => {
  const told = run('03-invoice');
  expect(told).toContain('"awaiting_gate": "GATE_FINANCE_APPROVAL"');
  expect(told).toContain('"status": "completed"');
  expect(told).toMatch(/One credit, 6 checkpoints, \d+ frames that replay to the same bytes\./);
});

test('04: a model that was misled is sent back, and the answer is cited', { timeout: TIMEOUT_MS }, () => {
  const told = run('04-research');
  expect(told).toMatch(/mail\.send .* sent back: there is no such capability here/);
  expect(told).toContain('SUCCESS: The answer is cited from a page.');
  expect(run('04-research', '--help')).toContain('Usage: npm run example:research');
});
