/** Proves what an operator does with sessions of other processes: hold them, let them go on, pick them up after a crash. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunOutcome, SessionSummary } from '../../src/index.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', 'support', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];
const BO = ['--as', 'bo', '--role', 'finance'];

/** What whoever goes on with a payment of a dead process is told meanwhile. */
const WAITS = /^payments\.refund \(step refund\) was sent by a process that is gone, .* until \d{4}-.*, in \d+ s: /m;

let project: Project;

beforeAll(() => {
  project = openProject();
  expect(project.ambit('init')).toMatchObject({ exit: 0 });
}, SLOW);
afterAll(() => project.remove());

test('a session whose process was killed in the middle of the payment is held, steered, let go on, and pays once', {
  timeout: SLOW,
}, () => {
  const shop = project.read('src/shop.ts');
  // The first payment is made and its process is gone before anybody hears of it.
  const dying = shop.replace(
    '    return refund;\n',
    "    if (Object.keys(refunds).length === 0) process.kill(process.pid, 'SIGKILL');\n    return refund;\n",
  );
  expect(dying).not.toBe(shop);
  project.write('src/shop.ts', dying);
  const killed = project.ambit(...RUN, '--yes', ...BO, '--json');
  expect(killed).toMatchObject({ exit: null, out: '' });
  const [left] = project.json<SessionSummary[]>('sessions', 'list', '--status', 'in_progress');
  const runId = String(left?.runId);
  expect(project.ambit('sessions', 'pause', runId, '--as', 'bo')).toMatchObject({ exit: 2, out: '' });
  const held = project.ambit('sessions', 'pause', runId, '--reason', 'a look first', '--as', 'bo');
  expect(held).toMatchObject({ exit: 0, out: expect.stringContaining('  paused'), err: expect.stringMatching(WAITS) });
  expect(project.ambit('sessions', 'steer', runId, '--note', 'The customer has moved.', '--as', 'bo').exit).toBe(0);
  expect(project.ambit('sessions', 'resume', runId)).toMatchObject({ exit: 3, out: '' });
  const resumed = project.ambit('sessions', 'resume', runId, '--as', 'bo');
  expect(resumed).toMatchObject({ exit: 0, out: expect.stringContaining('completed  SUCCESS') });
  expect(Object.values(JSON.parse(project.read('refunds.json')))).toHaveLength(1);
  expect(project.ambit('replay', runId).exit).toBe(0);
  const events = project.ambit('sessions', 'events', runId, '--json').out.trimEnd().split('\n');
  const said = events.map((line) => JSON.parse(line) as { readonly type: string; readonly by?: string });
  expect(said.filter(({ by }) => by === 'bo').map(({ type }) => type)).toEqual([
    'run_paused',
    'run_steered',
    'run_resumed',
  ]);
});

test('whoever resumes what a dead process left is told what is waited for, and until when', { timeout: SLOW }, () => {
  const shop = project.read('src/shop.ts');
  project.write(
    'src/shop.ts',
    shop.replace("action: 'refund' },", "action: 'refund' },\n  limits: { timeoutMs: 10_000 },"),
  );
  const resumed = project.ambit('sessions', 'resume', leftBehind());
  expect(resumed).toMatchObject({ exit: 0, out: expect.stringContaining('completed  SUCCESS') });
  expect(resumed.err).toMatch(WAITS);
  expect(resumed.err.trimEnd().split('\n')).toHaveLength(1);
  project.write('src/shop.ts', shop);
});

/** A session whose process is gone, while something is under way. */
function leftBehind(): string {
  project.write('refunds.json', '{}');
  expect(project.ambit(...RUN, '--yes', ...BO)).toMatchObject({ exit: null });
  const [left] = project.json<SessionSummary[]>('sessions', 'list', '--status', 'in_progress');
  return String(left?.runId);
}

/** Lets a process serve until the session has ended, and stops it. */
async function servedToTheEnd(runId: string): Promise<void> {
  const [node = '', ...args] = project.command;
  const serving = spawn(node, [...args, 'serve', '--json'], {
    cwd: project.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(serving, 'exit');
  const watched = project.ambit('sessions', 'watch', runId, '--json');
  expect(watched.exit).toBe(0);
  expect(JSON.parse(watched.out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    event: { type: 'run_terminated' },
  });
  serving.kill('SIGTERM');
  const said = await text(serving.stdout);
  expect(await ended).toEqual([0, null]);
  expect(JSON.parse(said)).toMatchObject({ failed: 0 });
  expect(JSON.parse(said).driven).toBeGreaterThan(0);
  expect(Object.values(JSON.parse(project.read('refunds.json')))).toHaveLength(1);
}

test('serve takes on what a dead process left, and comes to rest when it is stopped', { timeout: SLOW }, async () => {
  await servedToTheEnd(leftBehind());
});

test('what is interrupted is held, and whoever serves next lets it go on', { timeout: SLOW }, async () => {
  const runId = leftBehind();
  expect(project.ambit('sessions', 'interrupt', runId, '--as', 'bo')).toMatchObject({ exit: 2, out: '' });
  expect(project.json('sessions', 'interrupt', runId, '--reason', 'deploying', '--as', 'bo')).toMatchObject({
    status: 'paused',
  });
  await servedToTheEnd(runId);
});

test('a session that was handed over is read, given more, and ended by somebody who has read it', {
  timeout: SLOW,
}, () => {
  project.write('src/support.ts', project.read('src/support.ts').replace('toolCallsMax: 10', 'toolCallsMax: 1'));
  const handed = project.json<RunOutcome & { next: string[] }>(...RUN);
  expect(handed).toMatchObject({ status: 'paused', suspended: { code: 'BUDGET_EXHAUSTED' } });
  const { runId, handoverHash } = handed;
  expect(handed.next).toEqual([
    `ambit sessions show ${runId}`,
    expect.stringContaining(`ambit sessions extend ${runId} --add tool_calls=… --packet ${handoverHash}`),
    expect.stringContaining(`ambit sessions decide ${runId} continue|finalize|terminate --packet ${handoverHash}`),
  ]);
  expect(project.ambit('sessions', 'show', runId).out).toContain(String(handoverHash));
  const why = ['--reason', 'a long order', '--as', 'bo'];
  const add = ['sessions', 'extend', runId, '--add', 'tool_calls=5'];
  expect(project.ambit(...add, ...why)).toMatchObject({
    exit: 2,
    err: expect.stringContaining('say what you have seen'),
  });
  const more = project.json<RunOutcome>(...add, '--packet', String(handoverHash), ...why);
  expect(more).toMatchObject({ status: 'awaiting_gate' });

  const other = project.json<RunOutcome>(...RUN);
  const end = ['sessions', 'decide', other.runId, 'terminate', ...why];
  expect(project.ambit(...end, '--packet', String(handoverHash))).toMatchObject({ exit: 4, out: '' });
  const go = ['sessions', 'decide', other.runId, 'continue', ...why, '--packet', String(other.handoverHash)];
  expect(project.ambit(...go, '--happened', '{"id"')).toMatchObject({ exit: 2, err: expect.stringContaining('JSON') });
  expect(project.ambit(...go, '--happened', '{"id":1}').err).toContain('only a call in doubt');
  const ended = project.ambit(...end, '--packet', String(other.handoverHash));
  expect(ended).toMatchObject({ exit: 9, out: expect.stringContaining('BUDGET_EXHAUSTED') });
});

test('a flipped bit is found, and says where', { timeout: SLOW }, () => {
  const [run] = project.json<SessionSummary[]>('sessions', 'list', '--status', 'completed');
  expect(project.ambit('verify')).toMatchObject({ exit: 0 });
  project.damage('ambit.db', String(run?.runId));
  const found = project.ambit('verify', String(run?.runId), '--json');
  expect(found.exit).toBe(1);
  expect(JSON.parse(found.out)).toMatchObject({ damaged: [{ run_id: run?.runId, what: 'frame' }] });
});
