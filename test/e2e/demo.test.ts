/** `npm run demo` with real processes, a real ledger, a real `kill -9`, and without a terminal. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ambit } from 'ambit';
import type { RunEvent } from 'ambit/records';
import { afterAll, expect, test } from 'vitest';
import { supportAgent } from '../../examples/01-refund/src/agent.ts';
import { LIMITS, POLICY } from '../../examples/01-refund/src/settings.ts';
import { openShop } from '../../examples/01-refund/src/shop.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'ambit-demo-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function runDemo(...options: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const args = ['--import', './test/e2e/crash/package-is-source.ts', 'examples/01-refund/src/main.ts', ...options];
  const env = { ...process.env, NODE_NO_WARNINGS: '1', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

function demo(...options: readonly string[]): string {
  const { status, stdout, stderr } = runDemo(...options);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

const TIMEOUT_MS = 120_000;

test('makes one refund when a process is killed during the payment and another finishes the run', {
  timeout: TIMEOUT_MS,
}, async () => {
  const result = JSON.parse(demo('--folder', folder, '--json'));
  expect(result).toMatchObject({
    status: 'completed',
    terminalCode: 'SUCCESS',
    refunds: [{ refund_id: 'rf_1', order_id: 'ord_881', amount_cents: 4200 }],
    account: expect.stringMatching(/allowed .* chose .* called .* spent .* updated .* ended because/),
  });
  const settings = { limits: LIMITS, world: { policy: POLICY } };
  const store = `sqlite:${join(folder, 'ambit.db')}` as const;
  const runtime = ambit({ agent: supportAgent(openShop().tools), store, ...settings });
  const frames = await runtime.records.frames(result.runId);
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
  // Three processes have written: the one that reached the gate, the one that was killed, and its successor.
  expect(new Set(frames.map(({ writer }) => writer)).size).toBe(3);
  expect(events.filter(({ type }) => type === 'step_attempted')).toHaveLength(3);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'call_reconciled', finding: 'happened', probe: 'adp_payments.find_refund' }),
  );
  expect((await runtime.records.replay(result.runId)).turns).toHaveLength(result.replayed);
  await runtime.close();
});

test('refuses a second demo in the same folder, and continues the existing refund with --resume', {
  timeout: TIMEOUT_MS,
}, () => {
  const refused = runDemo('--folder', folder);
  expect([refused.status, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toMatch(
    /there is already a refund in .*: choose another folder, or continue it with --resume/,
  );
  const again = JSON.parse(demo('--folder', folder, '--resume', '--json'));
  expect(again).toMatchObject({ terminalCode: 'SUCCESS', refunds: [{ refund_id: 'rf_1' }] });
  expect(runDemo('--resume').stderr).toContain('--resume needs --folder');
  expect(runDemo('--resume', '--folder', join(folder, 'empty')).stderr).toContain('there is no refund in ');
});

test('a rejection ends the run without a payment', { timeout: TIMEOUT_MS }, () => {
  const output = demo('--reject');
  expect([...output.matchAll(/^(\d)\. /gm)].map(([, number]) => number)).toEqual(['1', '2', '3']);
  expect(output).toContain('rejected by user_finance_lead: not covered');
  expect(output).toContain('ledger     0 refunds');
  expect(output).toContain('ended      PERMISSION_DENIED (approval_rejected), session rejected');
});
