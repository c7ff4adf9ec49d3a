/** `npm run demo` as somebody tries it: real processes, a real ledger, a real `kill -9`, and nobody at the terminal. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ambit, type RunEvent } from 'ambit';
import { afterAll, expect, test } from 'vitest';
import { supportAgent } from '../../examples/01-refund/src/agent.ts';
import { LIMITS, POLICY } from '../../examples/01-refund/src/settings.ts';
import { openShop } from '../../examples/01-refund/src/shop.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'ambit-demo-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function tried(...options: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const args = ['--import', './test/e2e/crash/package-is-source.ts', 'examples/01-refund/src/main.ts', ...options];
  const env = { ...process.env, NODE_NO_WARNINGS: '1', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

function demo(...options: readonly string[]): string {
  const { status, stdout, stderr } = tried(...options);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

const TIMEOUT_MS = 120_000;

test('a process is killed while the money moves, another ends the run, and there is one refund', {
  timeout: TIMEOUT_MS,
}, async () => {
  const said = JSON.parse(demo('--folder', folder, '--json'));
  expect(said).toMatchObject({
    status: 'completed',
    terminalCode: 'SUCCESS',
    refunds: [{ refund_id: 'rf_1', order_id: 'ord_881', amount_cents: 4200 }],
    account: expect.stringMatching(/allowed .* chose .* called .* spent .* updated .* ended because/),
  });
  const settings = { limits: LIMITS, world: { policy: POLICY } };
  const store = `sqlite:${join(folder, 'ambit.db')}` as const;
  const runtime = ambit({ agent: supportAgent(openShop().tools), store, ...settings });
  const frames = await runtime.frames(said.runId);
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
  // Three processes have written to it: the one that came to the gate, the one that was killed, and its heir.
  expect(new Set(frames.map(({ writer }) => writer)).size).toBe(3);
  expect(events.filter(({ type }) => type === 'step_attempted')).toHaveLength(3);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'call_reconciled', finding: 'happened', probe: 'adp_payments.find_refund' }),
  );
  expect((await runtime.replay(said.runId)).turns).toHaveLength(said.replayed);
  await runtime.close();
});

test('a second demo in the same folder is none: it is refused, or goes on with the refund that is there', {
  timeout: TIMEOUT_MS,
}, () => {
  const said = tried('--folder', folder);
  expect([said.status, said.stdout]).toEqual([2, '']);
  expect(said.stderr).toMatch(/there is a refund in .* already: name another folder, or go on with that one: --resume/);
  const again = JSON.parse(demo('--folder', folder, '--resume', '--json'));
  expect(again).toMatchObject({ terminalCode: 'SUCCESS', refunds: [{ refund_id: 'rf_1' }] });
  expect(tried('--resume').stderr).toContain('--resume takes --folder');
  expect(tried('--resume', '--folder', join(folder, 'empty')).stderr).toContain('there is no refund in ');
});

test('a no ends it, and nothing is paid', { timeout: TIMEOUT_MS }, () => {
  const told = demo('--reject');
  expect([...told.matchAll(/^(\d)\. /gm)].map(([, number]) => number)).toEqual(['1', '2', '3']);
  expect(told).toContain('rejected by user_finance_lead: not covered');
  expect(told).toContain('ledger     0 refunds');
  expect(told).toContain('ended      PERMISSION_DENIED (approval_rejected), session rejected');
});
