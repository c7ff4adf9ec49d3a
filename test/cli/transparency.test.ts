/** Output about closed gates, traces, forked and imported runs, faults of started runs, and driven sessions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/index.ts';
import type { SessionSummary } from '../../src/records.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];
const BO = ['--reason', 'within policy', '--as', 'bo', '--role', 'finance'];

let project: Project;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
}, SLOW);
afterAll(() => project.remove());

const gateOf = ({ pending: [gate] }: RunOutcome): { readonly gateId: string; readonly packetHash: string } => {
  if (gate === undefined) throw new Error('the run opened no gate');
  return gate;
};

test('a closed gate shows its decision, decider, time and reason', { timeout: SLOW }, () => {
  const { runId, ...waiting } = project.json<RunOutcome>(...RUN);
  const { gateId, packetHash } = gateOf({ runId, ...waiting });
  const approve = ['gates', 'approve', gateId, '--packet', packetHash, ...BO];
  expect(project.ambit(...approve).exit).toBe(0);
  const closed = /was approved by bo at \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ: "within policy"/;

  const again = project.ambit(...approve);
  expect(again).toMatchObject({ exit: 4, out: '' });
  expect(again.err).toMatch(closed);
  expect(again.err).toContain(`ambit sessions show ${runId}`);
  const shown = project.ambit('gates', 'show', gateId);
  expect(shown).toMatchObject({ exit: 0, out: expect.stringMatching(closed), err: '' });
  expect(shown.out).toContain('amount_cents = 4200');
  expect(project.json('gates', 'show', gateId)).toMatchObject({
    gate: { status: 'approved' },
    decided: { decision: 'approve', by: 'bo', reason: 'within policy' },
  });
  const unknown = project.ambit('gates', 'show', 'gate_of_nobody');
  expect(unknown).toMatchObject({ exit: 5, out: '' });
  expect(unknown.err).toContain('gate_not_found');
  expect(unknown.err).toContain('fix: ambit gates list');
});

test('trace shows the budget limits and the time of decisions', { timeout: SLOW }, () => {
  const [run] = project.json<SessionSummary[]>('sessions', 'list', '--status', 'completed');
  const { out } = project.ambit('trace', String(run?.runId));
  expect(out).toMatch(/^tool_calls_used +2 +10$/m);
  expect(out).toMatch(/^inference_cost_usd_used|^steps_used +2 +10$/m);
  expect(out).toContain('with no data scopes');
  const { trace } = project.json<{ trace: { escalation_events: { settled_at: number }[] } }>(
    'trace',
    String(run?.runId),
  );
  const at = new Date(trace.escalation_events[0]?.settled_at ?? 0).toISOString().slice(0, 19).replace('T', ' ');
  expect(out).toContain(`${at}Z`);
});

test('simulated and imported runs are marked in every command', { timeout: SLOW }, () => {
  const [run] = project.json<SessionSummary[]>('sessions', 'list', '--status', 'completed');
  const parent = String(run?.runId);
  const forked = project.ambit('sessions', 'fork', parent);
  const mark = new RegExp(`simulated fork of ${parent} at ck_${parent}_\\d+`);
  expect(forked.out).toMatch(mark);
  const [, fork = ''] = /^(run_\S+)/.exec(forked.out) ?? [];
  const origin = { fork: { of: parent, simulated: true }, imported: null };

  const lines = project.ambit('sessions', 'list').out.split('\n');
  expect(lines.find((line) => line.startsWith(fork))).toMatch(mark);
  expect(lines.find((line) => line.startsWith(parent))).not.toContain('fork of');
  const listed = project.json<(SessionSummary & { origin: unknown })[]>('sessions', 'list');
  expect(listed.find(({ runId }) => runId === fork)).toMatchObject({ origin });
  expect(listed.find(({ runId }) => runId === parent)).toMatchObject({ origin: { fork: null, imported: null } });
  expect(project.json<unknown[]>('sessions', 'list', '--mode', 'standard')).toHaveLength(listed.length);
  expect(project.json('sessions', 'list', '--mode', 'long_running')).toEqual([]);
  expect(project.ambit('sessions', 'show', fork).out).toMatch(mark);
  expect(project.json('sessions', 'show', fork)).toMatchObject({ origin });
  expect(project.ambit('trace', fork).out).toMatch(mark);
  expect(project.json('trace', fork)).toMatchObject({ origin });
  const difference = project.ambit('diff', parent, fork);
  expect(difference.exit).toBe(1);
  expect(difference.out).toMatch(/^First difference at event \d+: \/?[\w/ ]+: first run /m);

  const { runId, ...waiting } = project.json<RunOutcome>(...RUN);
  const { gateId, packetHash } = gateOf({ runId, ...waiting });
  const edit = ['gates', 'edit', gateId, '--set', 'amount_cents=2000', '--packet', packetHash, ...BO];
  project.json(...edit);
  expect(project.ambit('sessions', 'cancel', runId, '--reason', 'no', '--as', 'bo').exit).toBe(0);
  const other = project.json<RunOutcome>('sessions', 'fork', runId);
  const gate = gateOf(other).gateId;
  expect(project.ambit('gates', 'show', gate).out).toContain(`simulated fork of ${runId} at ck_${runId}_`);
  expect(project.json('gates', 'show', gate)).toMatchObject({ origin: { fork: { of: runId, simulated: true } } });
  expect(project.ambit('gates', 'list').out).toContain(`simulated fork of ${runId} at ck_${runId}_`);

  expect(project.ambit('sessions', 'export', other.runId, '--out', 'fork.ambit').exit).toBe(0);
  const config = project.read('ambit.config.ts');
  project.write('ambit.config.ts', config.replace('sqlite:ambit.db', 'sqlite:elsewhere.db'));
  expect(project.ambit('sessions', 'import', 'fork.ambit').exit).toBe(0);
  const imported = project.ambit('sessions', 'show', other.runId);
  expect(imported.out).toMatch(/simulated fork of run_\S+ at ck_run_\S+; imported, exported \d{4}-/);
  // An imported run is decided in its original store.
  expect(imported.err).not.toContain('next:');
  expect(project.ambit('sessions', 'list').out).toContain('imported, exported');
  expect(project.json('sessions', 'show', other.runId)).toMatchObject({
    origin: { imported: { at: expect.any(Number), exportedAt: expect.any(Number) } },
    next: [],
  });
  project.write('ambit.config.ts', config);
});

test('--yes needs a decider before the run starts; a later fault names the session', {
  timeout: SLOW,
}, () => {
  const before = project.json<SessionSummary[]>('sessions', 'list').length;
  const anonymous = project.ambit(...RUN, '--yes');
  expect(anonymous).toMatchObject({ exit: 3, out: '' });
  expect(anonymous.err).toContain('this command needs a decider: add --as <name>, --key <file> or --token <token>');
  expect(project.ambit(...RUN, '--as', 'bo', '--token', 't')).toMatchObject({ exit: 2, out: '' });
  expect(project.json<SessionSummary[]>('sessions', 'list')).toHaveLength(before);

  const stranger = project.ambit(...RUN, '--yes', '--as', 'bo', '--json');
  expect(stranger.exit).toBe(3);
  const [begun] = project.json<SessionSummary[]>('sessions', 'list');
  expect(JSON.parse(stranger.err)).toMatchObject({
    error: { code: 'permission_denied', session: begun?.runId, fix: expect.stringContaining('ambit gates show gate_') },
  });
  const printed = project.ambit(...RUN, '--yes', '--as', 'bo');
  expect(printed.err).toMatch(/session: run_\S+\n {2}fix: ambit gates show gate_run_/);
});

test('a session that another process drives cannot be resumed, but can be cancelled', {
  timeout: SLOW,
}, async () => {
  const shop = project.read('src/shop.ts');
  const waits = 'while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));';
  project.write(
    'src/shop.ts',
    shop
      .replace(
        'execute: ({ order_id }) => ORDERS',
        `execute: async ({ order_id }) => {\n    ${waits}\n    return ORDERS`,
      )
      .replace('ORDERS[order_id],', 'ORDERS[order_id];\n  },')
      .replace('import { readFileSync,', 'import { existsSync, readFileSync,'),
  );
  const [node = '', ...args] = project.command;
  const driving = spawn(node, [...args, ...RUN, '--json'], {
    cwd: project.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(driving, 'exit');
  const printed = text(driving.stdout);
  const inProgress = (): readonly SessionSummary[] => project.json('sessions', 'list', '--status', 'in_progress');
  let [begun] = inProgress();
  while (begun === undefined) [begun] = inProgress();
  const { runId } = begun;

  const driven = project.ambit('sessions', 'resume', runId);
  expect(driven).toMatchObject({ exit: 4, out: '' });
  expect(driven.err).toContain(`is driven by`);
  expect(driven.err).toContain(`ambit sessions resume ${runId} --take-over --reason "…" --as <name>`);
  expect(driven.err).toContain('The other process can then no longer write to it');
  const shown = project.ambit('sessions', 'show', runId);
  expect(shown.out).toContain(`driven by  process ${driving.pid} on `);
  expect(shown.err).toContain(`next: ambit sessions watch ${runId}`);

  const cancelled = project.ambit('sessions', 'cancel', runId, '--reason', 'asked twice', '--as', 'bo');
  expect(cancelled.exit).toBe(0);
  expect(cancelled.out).toMatch(
    /the cancellation is recorded; process \d+ on \S+ aborts the calls in flight and ends the session/,
  );
  expect(cancelled.err).not.toContain('sessions resume');
  project.write('go', '');
  await ended;
  expect(JSON.parse(await printed)).toMatchObject({ runId, status: 'cancelled', terminalCode: 'USER_CANCEL' });
});
