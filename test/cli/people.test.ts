/** Deciders: a name without proof, or a signature if keys are enrolled. */
import { chmodSync, statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SigningKey } from '../../src/approvals.ts';
import type { RunOutcome } from '../../src/index.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const GOAL = ['--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];

let project: Project;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
}, SLOW);
afterAll(() => project.remove());

function waitingGate(): { readonly gateId: string; readonly packetHash: string; readonly runId: string } {
  const { pending, runId } = project.json<RunOutcome>('run', ...GOAL);
  const [gate] = pending;
  if (gate === undefined) throw new Error(`${runId} opened no gate`);
  return { ...gate, runId };
}

test('a decision needs a decider', { timeout: SLOW }, () => {
  const { gateId, packetHash } = waitingGate();
  const line = ['gates', 'approve', gateId, '--packet', packetHash, '--reason', 'fine'];
  const anonymous = project.ambit(...line);
  expect(anonymous).toMatchObject({ exit: 3, out: '' });
  expect(anonymous.err).toContain('approver_missing');
  expect(anonymous.err).toContain('this command needs a decider: add --as <name>, --key <file> or --token <token>');
  expect(project.ambit(...line, '--as', 'bo', '--token', 't')).toMatchObject({ exit: 2, out: '' });
  expect(project.ambitWith({ env: { AMBIT_TOKEN: 'who knows' } }, ...line)).toMatchObject({ exit: 3, out: '' });
  const bo = project.ambitWith({ env: { AMBIT_AS: 'bo' } }, ...line, '--role', 'finance');
  expect(bo).toMatchObject({ exit: 0, out: expect.stringContaining('approved by bo') });
});

test('with enrolled keys, a decision needs a signature', { timeout: SLOW }, () => {
  const config = project.read('ambit.config.ts');
  const keyed = config
    .replace(
      "import { defineConfig } from 'ambit';",
      "import { defineConfig } from 'ambit';\nimport { keyTools } from 'ambit/approvals';",
    )
    .replace('    policy: {', '    policy: {\n      approvers: { keys: keyTools.inFile("keys.json") },');
  project.write('ambit.config.ts', keyed);
  const made = project.json<{ key: SigningKey; file: string }>(
    ...['keys', 'new', 'cy_1', '--approver', 'cy', '--tenant', 'shop', '--role', 'finance', '--by', 'security'],
  );
  expect(made).toMatchObject({ key: { key_id: 'cy_1', approver: 'cy' }, file: `${project.folder}/cy_1.key.json` });
  expect(JSON.stringify(made)).not.toContain(JSON.parse(project.read('cy_1.key.json')).private_key);
  expect(statSync(made.file).mode & 0o777).toBe(0o600);
  expect(project.ambit('keys', 'new', 'cy_1', '--approver', 'cy', '--tenant', 'shop', '--by', 'security').exit).toBe(2);

  const { runId, gateId, packetHash } = waitingGate();
  const line = ['gates', 'approve', gateId, '--packet', packetHash, '--reason', 'fine'];
  expect(project.ambit(...line, '--as', 'cy', '--role', 'finance')).toMatchObject({ exit: 3, out: '' });
  chmodSync(made.file, 0o644);
  expect(project.ambit(...line, '--key', made.file)).toMatchObject({
    exit: 3,
    err: expect.stringContaining(`other users can read ${made.file}: chmod 600 ${made.file}`),
  });
  chmodSync(made.file, 0o600);
  const signed = project.ambit(...line, '--key', made.file, '--json');
  expect(signed).toMatchObject({ exit: 0, err: '' });
  expect(JSON.parse(signed.out)).toMatchObject({ status: 'completed', record: { approvals: [{ approver: 'cy' }] } });

  const cancelled = waitingGate();
  const end = ['sessions', 'cancel', cancelled.runId, '--reason', 'asked twice'];
  expect(project.ambit(...end, '--as', 'cy')).toMatchObject({ exit: 3, out: '' });
  const by = project.ambit(...end, '--key', made.file);
  expect(by).toMatchObject({ exit: 0, out: expect.stringContaining('cancelled  USER_CANCEL') });
  expect(by.out).toContain('cy cancelled it: asked twice');

  expect(project.ambit('keys', 'revoke', 'cy_1', '--by', 'security', '--reason', 'laptop lost').exit).toBe(0);
  const late = waitingGate();
  const revoked = [
    'gates',
    'approve',
    late.gateId,
    '--packet',
    late.packetHash,
    '--reason',
    'fine',
    '--key',
    made.file,
  ];
  expect(project.ambit(...revoked)).toMatchObject({ exit: 3, err: expect.stringContaining('signing_key_revoked') });
  expect(project.ambit('keys', 'list').out).toContain('revoked: laptop lost');
  project.write('ambit.config.ts', config);

  // A process without the keys approves: the record is intact, and the decision is unproven.
  const forged = ['gates', 'approve', late.gateId, '--packet', late.packetHash, '--reason', 'fine'];
  expect(project.ambit(...forged, '--as', 'dee', '--role', 'finance').exit).toBe(0);
  expect(project.ambit('replay', late.runId)).toMatchObject({
    exit: 0,
    out: expect.stringContaining('proofs: not checked'),
  });
  project.write('ambit.config.ts', keyed);
  const verified = project.ambit('verify', late.runId);
  expect(verified).toMatchObject({
    exit: 1,
    out: expect.stringMatching(/gate_decided by dee at .* is unproven: it is/),
  });
  expect(verified.out).toContain('no damage');
  expect(project.json('verify', runId)).toMatchObject({ proofs: { checked: 1, unproven: [] } });
  project.write('ambit.config.ts', config);
});

test('answer a question, edit a gate, fork, export and import a session', { timeout: SLOW }, () => {
  const asked = project.ambit('run', '--goal', 'Refund an order');
  expect(asked.exit).toBe(8);
  const [, runId = ''] = /^(run_\S+)/.exec(asked.out) ?? [];
  expect(asked.err).toContain(`ambit sessions answer ${runId} --answer order_id=… --as <name>`);
  const gate = project.json<RunOutcome>('sessions', 'answer', runId, '--answer', 'order_id=ord_881', '--as', 'ada')
    .pending[0];
  const edit = [
    'gates',
    'edit',
    String(gate?.gateId),
    '--set',
    'amount_cents=2000',
    '--packet',
    String(gate?.packetHash),
  ];
  const bo = ['--reason', 'half of it', '--as', 'bo', '--role', 'finance'];
  const wrong = edit.map((part) => part.replace('=2000', '=half'));
  expect(project.ambit(...wrong, ...bo)).toMatchObject({
    exit: 2,
    err: expect.stringContaining('the edited argument amount_cents: must be integer'),
  });
  const edited = project.json<RunOutcome>(...edit, ...bo);
  expect(edited).toMatchObject({ status: 'awaiting_gate' });
  expect(edited.pending[0]?.packetHash).not.toBe(gate?.packetHash);
  expect(project.ambit('gates', 'show', String(edited.pending[0]?.gateId)).out).toContain('amount_cents = 2000');

  expect(project.ambit('sessions', 'cancel', runId, '--reason', 'no', '--as', 'bo').exit).toBe(0);
  const fork = project.json<RunOutcome>('sessions', 'fork', runId);
  expect(fork.runId).not.toBe(runId);
  expect(project.ambit('sessions', 'fork', runId, '--for-real')).toMatchObject({ exit: 2, out: '' });
  const forReal = ['sessions', 'fork', runId, '--for-real', '--reason', 'again'];
  for (const [as, why] of [
    [['ada', '--role', 'operator'], 'permission_denied'],
    [['bo'], 'operator_required'],
    [['bo', '--role', 'finance'], 'operator_required'],
  ] as const) {
    const refused = project.ambit(...forReal, '--as', ...as);
    expect(refused).toMatchObject({ exit: 3, out: '', err: expect.stringContaining(why) });
  }
  expect(project.ambit('sessions', 'export', runId, '--out', 'run.ambit').exit).toBe(0);
  expect(project.ambit('sessions', 'export', runId, '--out', 'run.ambit')).toMatchObject({ exit: 2, out: '' });
  project.write('ambit.config.ts', project.read('ambit.config.ts').replace('sqlite:ambit.db', 'sqlite:elsewhere.db'));
  expect(project.ambit('replay', runId)).toMatchObject({ exit: 5, out: '' });
  expect(project.json('sessions', 'import', 'run.ambit')).toMatchObject({ runId, wasHere: false });
  expect(project.ambit('replay', runId)).toMatchObject({ exit: 0, out: expect.stringContaining('same bytes') });
  expect(project.ambit('diff', runId, runId)).toMatchObject({ exit: 0 });
});
