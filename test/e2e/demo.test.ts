/** `npm run demo` with real processes, a real ledger, a real `kill -9`, and without a terminal. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ambit } from 'ambit';
import type { RunEvent } from 'ambit/records';
import { afterAll, expect, test } from 'vitest';
import { openRuntime } from '../../examples/01-refund/src/open-runtime.ts';
import { QUESTION_ANSWER, REFUND_ANSWER } from '../../examples/01-refund/src/script.ts';
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

/** Opens the journal that a demo has left in the folder. It calls no model. */
const openJournal = (): Ambit => openRuntime(join(folder, 'ambit.db'), openShop().ledger, 'http://127.0.0.1:1');

async function eventsOf(runtime: Ambit, runId: string): Promise<readonly RunEvent[]> {
  return (await runtime.records.frames(runId)).flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
}

/** The results that were committed as facts, in order. */
const factsOf = (events: readonly RunEvent[]): readonly object[] => {
  const results = new Map(
    events.flatMap((event) =>
      event.type === 'step_observed' || event.type === 'call_reconciled' ? [[event.call_id, event.raw] as const] : [],
    ),
  );
  return events.flatMap((event) =>
    event.type === 'step_committed' && event.source !== 'respond'
      ? [{ ref: event.evidence_id, tool: event.source, value: results.get(event.call_id) }]
      : [],
  );
};

test('makes one refund when a process is killed during the payment and another finishes the run', {
  timeout: TIMEOUT_MS,
}, async () => {
  const result = JSON.parse(demo('--folder', folder, '--json'));
  expect(result).toMatchObject({
    status: 'completed',
    terminalCode: 'SUCCESS',
    refunds: [{ refund_id: 'rf_1', order_id: 'ord_881', amount_cents: 4200, currency: 'EUR', status: 'refunded' }],
    account: expect.stringMatching(/allowed .* chose .* called .* spent .* updated .* ended because/),
  });
  const runtime = openJournal();
  const frames = await runtime.records.frames(result.runId);
  const events = await eventsOf(runtime, result.runId);
  // Three processes have written: the one that reached the gate, the one that was killed, and its successor.
  expect(new Set(frames.map(({ writer }) => writer)).size).toBe(3);
  expect(events.filter(({ type }) => type === 'step_attempted')).toHaveLength(3);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'call_reconciled', finding: 'happened', probe: 'adp_payments.find_refund' }),
  );
  expect((await runtime.records.replay(result.runId)).turns).toHaveLength(result.replayed);
  await runtime.close();
});

test('answers both parts of the question, and releases the rewrite in place of the wrong sentence', {
  timeout: TIMEOUT_MS,
}, async () => {
  const runtime = openJournal();
  const [asked] = await runtime.sessions.list({ agent: 'accounts' });
  const runId = String(asked?.runId);
  const events = await eventsOf(runtime, runId);
  expect(factsOf(events)).toEqual(QUESTION_ANSWER.facts.map(({ ref, tool, value }) => ({ ref, tool, value })));
  expect(events.filter(({ type }) => type === 'sentences_ruled')).toMatchObject([
    {
      attempt: 1,
      rulings: [
        { ruling: 'proven' },
        { ruling: 'refused', reason: expect.stringContaining('€69.10') },
        { ruling: 'proven' },
      ],
    },
    { attempt: 2, rulings: [{ index: 1, ruling: 'proven' }] },
  ]);
  expect(events.filter(({ type }) => type === 'sentence_released')).toMatchObject([
    { form: 'composed', text: 'You are on the Pro plan.', fields: [{ ref: 'ev_1', pointer: '/plan' }] },
    { form: 'composed', text: 'You paid €61.90 in April 2026.' },
    { form: 'composed', text: 'You made two payments in April 2026.' },
  ]);
  expect(await runtime.records.replay(runId)).toMatchObject({ state: { ending: { terminal: { code: 'SUCCESS' } } } });
  await runtime.close();
});

test('the last answer says what happened, in proven sentences of the process that ended the run', {
  timeout: TIMEOUT_MS,
}, async () => {
  const runtime = openJournal();
  const [refund] = await runtime.sessions.list({ agent: 'support' });
  const { runId = '' } = refund ?? {};
  const events = await eventsOf(runtime, runId);
  expect(factsOf(events)).toEqual(REFUND_ANSWER.facts.map(({ ref, tool, value }) => ({ ref, tool, value })));
  const { text, sentences } = await runtime.sessions.get(runId);
  expect(text).toMatch(/^I have refunded €42\.00 for order ord_881\. Your refund number is rf_1\. /);
  expect(sentences.map(({ form }) => form)).toEqual(['composed', 'composed', 'composed']);
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
  expect([...output.matchAll(/^(\d)\. /gm)].map(([, number]) => number)).toEqual(['1', '2', '3', '4']);
  expect(output).toContain('The model of this demo is a script');
  expect(output).toMatch(/✗ refused "You paid €69\.10 in April 2026\."\n +because no cited fact supports €69\.10/);
  expect(output).toMatch(/^answer {5}You paid €61\.90 in April 2026\.\n +✓ proven by ev_2\/total_cents, ev_2\/month/m);
  expect(output.split('\n').filter((line) => line.length > 100)).toEqual([]);
  expect(output).toContain('rejected by user_finance_lead: not covered');
  expect(output).toContain('ledger     0 refunds');
  expect(output).toContain('ended      PERMISSION_DENIED (approval_rejected), session rejected');
});
