/** Operator commands on sessions of other processes: pause, steer, resume, serve, decide, verify. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/index.ts';
import type { SessionSummary } from '../../src/records.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', 'support', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];
const BO = ['--as', 'bo', '--role', 'finance'];

/** The note about the call that a dead process has sent. */
const PENDING_NOTE =
  /^waiting for payments\.refund \(step refund\): its process died, and the call may still arrive until \d{4}-\S+ \S+Z, in \d+ s$/m;

let project: Project;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
  // A process that takes over from a dead one waits this long for the payment in flight.
  const shop = project.read('src/shop.ts');
  const quick = shop.replace("action: 'refund' },", "action: 'refund' },\n  limits: { timeoutMs: 10_000 },");
  expect(quick).not.toBe(shop);
  project.write('src/shop.ts', quick);
}, SLOW);
afterAll(() => project.remove());

test('a session whose process was killed during the payment is paused, steered, resumed and pays once', {
  timeout: SLOW,
}, () => {
  const shop = project.read('src/shop.ts');
  // The process dies after the first payment, before it can record the result.
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
  const held = project.ambit('sessions', 'pause', runId, '--reason', 'a look first', '--as', 'bo');
  expect(held).toMatchObject({
    exit: 0,
    out: expect.stringContaining('  paused'),
    err: expect.stringMatching(PENDING_NOTE),
  });
  expect(project.ambit('sessions', 'pause', runId, '--as', 'bo')).toMatchObject({ exit: 2, out: '' });
  expect(project.ambit('sessions', 'steer', runId, '--note', 'The customer has moved.', '--as', 'bo').exit).toBe(0);
  expect(project.ambit('sessions', 'resume', runId)).toMatchObject({ exit: 3, out: '' });
  const resumed = project.ambit('sessions', 'resume', runId, '--as', 'bo');
  expect(resumed).toMatchObject({ exit: 0, out: expect.stringContaining('completed  SUCCESS') });
  expect(Object.values(JSON.parse(project.read('refunds.json')))).toHaveLength(1);
  expect(project.ambit('replay', runId).exit).toBe(0);
  const events = project.ambit('sessions', 'events', runId, '--json').out.trimEnd().split('\n');
  const recorded = events.map((line) => JSON.parse(line) as { readonly type: string; readonly by?: string });
  expect(recorded.filter(({ by }) => by === 'bo').map(({ type }) => type)).toEqual([
    'run_paused',
    'run_steered',
    'run_resumed',
  ]);
});

test('resume notes the call it waits for, and until when', { timeout: SLOW }, () => {
  const resumed = project.ambit('sessions', 'resume', abandonSession());
  expect(resumed).toMatchObject({ exit: 0, out: expect.stringContaining('completed  SUCCESS') });
  expect(resumed.err).toMatch(PENDING_NOTE);
  expect(resumed.err.trimEnd().split('\n')).toHaveLength(1);
});

/** Starts a session whose process dies during the payment. */
function abandonSession(): string {
  project.write('refunds.json', '{}');
  expect(project.ambit(...RUN, '--yes', ...BO)).toMatchObject({ exit: null });
  const [left] = project.json<SessionSummary[]>('sessions', 'list', '--status', 'in_progress');
  return String(left?.runId);
}

/** Serves until the session has ended, then stops the server. */
async function serveUntilEnded(runId: string): Promise<void> {
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
  const printed = await text(serving.stdout);
  expect(await ended).toEqual([0, null]);
  expect(JSON.parse(printed)).toMatchObject({ failed: 0 });
  expect(JSON.parse(printed).driven).toBeGreaterThan(0);
  expect(Object.values(JSON.parse(project.read('refunds.json')))).toHaveLength(1);
}

test('serve drives an abandoned session and exits cleanly on SIGTERM', { timeout: SLOW }, async () => {
  await serveUntilEnded(abandonSession());
});

test('serve resumes an interrupted session', { timeout: SLOW }, async () => {
  const runId = abandonSession();
  expect(project.ambit('sessions', 'interrupt', runId, '--as', 'bo')).toMatchObject({ exit: 2, out: '' });
  expect(project.json('sessions', 'interrupt', runId, '--reason', 'deploying', '--as', 'bo')).toMatchObject({
    status: 'paused',
  });
  await serveUntilEnded(runId);
});

test('an escalated session is extended or ended by a decider who has read its packet', {
  timeout: SLOW,
}, () => {
  project.write('src/support.ts', project.read('src/support.ts').replace('toolCallsMax: 10', 'toolCallsMax: 1'));
  const handed = project.json<RunOutcome & { next: string[] }>(...RUN);
  expect(handed).toMatchObject({ status: 'paused', suspended: { code: 'BUDGET_EXHAUSTED' } });
  const { runId, handoverHash } = handed;
  expect(handed.next).toEqual([
    `ambit sessions show ${runId}`,
    expect.stringContaining(`ambit sessions extend ${runId} --add tool_calls=… --packet ${handoverHash}`),
    ...['continue', 'finalize', 'terminate'].map((decision) =>
      expect.stringContaining(`ambit sessions decide ${runId} ${decision} --packet ${handoverHash}`),
    ),
  ]);
  expect(project.ambit('sessions', 'show', runId).out).toContain(String(handoverHash));
  const why = ['--reason', 'a long order', '--as', 'bo'];
  const add = ['sessions', 'extend', runId, '--add', 'tool_calls=5'];
  expect(project.ambit(...add, ...why)).toMatchObject({
    exit: 2,
    err: expect.stringContaining(
      `a packet hash is required: read the packet with ambit sessions show ${runId}, then add --packet ${handoverHash}`,
    ),
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

test('verify finds a flipped bit', { timeout: SLOW }, () => {
  const [run] = project.json<SessionSummary[]>('sessions', 'list', '--status', 'completed');
  expect(project.ambit('verify')).toMatchObject({ exit: 0 });
  project.damage('ambit.db', String(run?.runId));
  const found = project.ambit('verify', String(run?.runId), '--json');
  expect(found.exit).toBe(1);
  expect(JSON.parse(found.out)).toMatchObject({ damaged: [{ run_id: run?.runId, what: 'frame' }] });
});
