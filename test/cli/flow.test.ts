/** The first steps of a user: run, gate, decision, replay. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Inbox } from '../../src/approvals.ts';
import type { RunOutcome } from '../../src/index.ts';
import type { SessionSummary } from '../../src/records.ts';
import { openProject, type Project } from './project.ts';

type Item = Inbox['groups'][number]['items'][number];

/** Each test starts several processes, possibly on a busy machine. */
const SLOW = 600_000;
const GOAL = ['--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];
const BO = ['--reason', 'within policy', '--as', 'bo', '--role', 'finance'];

let project: Project;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
}, SLOW);
afterAll(() => project.remove());

test('a run without a terminal stops at its gate, and the hints lead to its end', {
  timeout: SLOW,
}, () => {
  const run = project.ambit('run', 'support', ...GOAL);
  expect(run.exit).toBe(8);
  expect(run.out).toMatch(/^run_\S+ {2}awaiting_gate/);
  const [, gateId = ''] = /next: ambit gates show (\S+)/.exec(run.err) ?? [];

  const shown = project.ambit('gates', 'show', gateId);
  expect(shown.exit).toBe(0);
  expect(shown.out).toContain('amount_cents = 4200  from orders.lookup');
  expect(shown.out).toContain('approvers     one person with role finance, except ada');
  const [, hash = ''] = /packet {2}(sha256:[0-9a-f]{64})/.exec(shown.out) ?? [];
  expect(shown.err).toContain(`ambit gates approve ${gateId} --packet ${hash} --reason "…" --as <name> --role finance`);

  expect(project.ambit('gates', 'approve', gateId, ...BO)).toMatchObject({ exit: 2, out: '' });
  const other = `sha256:${'0'.repeat(64)}`;
  expect(project.ambit('gates', 'approve', gateId, '--packet', other, ...BO)).toMatchObject({ exit: 4, out: '' });
  const stranger = project.ambit('gates', 'approve', gateId, '--packet', hash, '--reason', 'mine', '--as', 'bo');
  expect(stranger).toMatchObject({ exit: 3, out: '' });
  expect(stranger.err).toContain('permission_denied');

  const done = project.ambit('gates', 'approve', gateId, '--packet', hash.slice(0, 24), ...BO);
  expect(done.exit).toBe(0);
  expect(done.out).toContain('completed  SUCCESS');
  expect(done.out).toContain('approved by bo');
  expect(Object.values(JSON.parse(project.read('refunds.json')))).toHaveLength(1);

  const [, runId = ''] = /^(run_\S+)/.exec(done.out) ?? [];
  expect(project.ambit('replay', runId)).toMatchObject({ exit: 0, out: expect.stringContaining('same bytes') });
  expect(project.ambit('trace', runId).out).toContain('payments.refund');
  const otlp = project.ambit('trace', runId, '--otlp');
  expect(otlp.out).toContain('execute_tool payments.refund');
  expect(JSON.parse(otlp.out)).toEqual(project.json('trace', runId, '--otlp'));
  expect(project.ambit('verify', runId)).toMatchObject({
    exit: 0,
    out: expect.stringMatching(
      /^✓ verified 1 session \(0 pruned\), .*: no damage\nproofs: not checked, because no keys are enrolled here\n$/,
    ),
  });
});

test('hints use npx if only the project has the command', { timeout: SLOW }, () => {
  const unknown = ['gates', 'show', 'gate_of_nobody'];
  expect(project.ambit(...unknown).err).toContain('fix: ambit gates list');
  project.write('node_modules/.bin/ambit', '');
  const PATH = `${project.folder}/node_modules/.bin:/nowhere`;
  expect(project.ambitWith({ env: { PATH } }, ...unknown).err).toContain('fix: npx ambit gates list');
  const run = project.ambitWith({ env: { PATH } }, 'run', ...GOAL);
  expect(run.err).toMatch(/next: npx ambit gates show gate_/);
  project.write('global/ambit', '');
  expect(project.ambitWith({ env: { PATH: `${project.folder}/global` } }, ...unknown).err).toContain(
    'fix: ambit gates',
  );
  rmSync(`${project.folder}/node_modules/.bin/ambit`);
});

describe('with --json', () => {
  test('prints one JSON document per command', { timeout: SLOW }, () => {
    const waiting = project.json<RunOutcome & { next: string[] }>('run', 'support', ...GOAL);
    expect(waiting).toMatchObject({ status: 'awaiting_gate', terminalCode: null });
    const [gate] = waiting.pending;
    expect(waiting.next).toEqual([`ambit gates show ${gate?.gateId}`]);
    const item = project.json<Item>('gates', 'show', String(gate?.gateId));
    expect(item).toMatchObject({
      gate: { packet_hash: gate?.packetHash },
      packet: { parameters: { amount_cents: 4200 } },
    });
    const done = project.json<RunOutcome>(
      'gates',
      'reject',
      String(gate?.gateId),
      '--packet',
      item.gate.packet_hash,
      ...BO,
    );
    expect(done).toMatchObject({ status: 'rejected', runId: waiting.runId });
    const listed = project.json<SessionSummary[]>('sessions', 'list', '--status', 'rejected');
    expect(listed.map(({ runId }) => runId)).toEqual([waiting.runId]);
    const events = project.ambit('sessions', 'events', waiting.runId, '--json').out.trimEnd().split('\n');
    expect(events.map((line) => JSON.parse(line).type).at(-1)).toBe('run_terminated');
  });

  test('--yes completes a run if the decider may approve, and fails otherwise', {
    timeout: SLOW,
  }, () => {
    const yes = project.ambit('run', 'support', ...GOAL, '--yes', '--as', 'bo', '--role', 'finance', '--json');
    expect(yes).toMatchObject({ exit: 0, err: '' });
    expect(JSON.parse(yes.out)).toMatchObject({ status: 'completed', record: { approvals: [{ approver: 'bo' }] } });
    const again = project.json<RunOutcome>('run', 'support', ...GOAL, '--yes', '--as', 'bo', '--role', 'finance');
    // The two runs differ only in the refund id.
    const difference = project.json<{ first: { path: string } }>('diff', JSON.parse(yes.out).runId, again.runId);
    expect(difference.first.path).toBe('/raw/refund_id');
    const own = project.ambit('run', 'support', ...GOAL, '--yes', '--as', 'ada', '--role', 'finance', '--json');
    expect(own).toMatchObject({ exit: 3, out: '' });
    expect(JSON.parse(own.err)).toMatchObject({ error: { code: 'permission_denied' } });
  });
});
