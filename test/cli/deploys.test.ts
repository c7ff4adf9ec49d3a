/** Deploys under a waiting run: the commands that a refused approval names work as printed. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/index.ts';
import { verifies } from '../requirements/verifies.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const BO = { env: { AMBIT_AS: 'bo' } };

let project: Project;
let shop: string;

beforeAll(() => {
  project = openProject();
  expect(project.ambit('init')).toMatchObject({ exit: 0 });
  shop = project.read('src/shop.ts');
}, SLOW);
beforeEach(() => project.write('src/shop.ts', shop));
afterAll(() => project.remove());

interface Waiting {
  readonly runId: string;
  readonly gateId: string;
  readonly packetHash: string;
}

function waitAtGate(): Waiting {
  const outcome = project.json<RunOutcome>('run', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881');
  return gateOf(outcome);
}

function gateOf({ runId, pending: [gate] }: RunOutcome): Waiting {
  if (gate === undefined) throw new Error(`${runId} opened no gate`);
  return { ...gate, runId };
}

function deploy(description: string): void {
  const changed = shop.replace('Refund an order to its original payment method', description);
  expect(changed).not.toBe(shop);
  project.write('src/shop.ts', changed);
}

const decide = (verb: 'approve' | 'reject', { gateId, packetHash }: Waiting) =>
  project.ambitWith(
    BO,
    ...['gates', verb, gateId, '--packet', packetHash, '--reason', 'looked at it', '--role', 'finance'],
  );

/** Runs a printed command exactly as it is printed. */
function runPrinted(text: string, name: 'migrate' | 'terminate', ...more: readonly string[]) {
  const [, line = ''] = new RegExp(`\`ambit (sessions ${name} [^\`]*)\``).exec(text) ?? [];
  expect(line).not.toBe('');
  const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  return project.ambitWith(BO, ...words, ...more);
}

function refusedApproval(waiting: Waiting): string {
  const { exit, out, err } = decide('approve', waiting);
  expect({ exit, out }).toEqual({ exit: 4, out: '' });
  expect(err).toContain('version_changed');
  expect(err).toContain('tool payments.refund has changed since this run was planned: `description` differs');
  return err;
}

verifies(
  'resume:mismatch:operator-migrates-or-terminates',
  'after a deploy the run is migrated with the printed command, asked again, and succeeds',
  () => {
    const waiting = waitAtGate();
    deploy('Refund an order at once');
    const migrated = runPrinted(refusedApproval(waiting), 'migrate', '--json');
    expect(migrated).toMatchObject({ exit: 8 });
    const outcome = JSON.parse(migrated.out) as RunOutcome & { readonly remark: string };
    expect(outcome.remark).toBe('accepted the new version of payments.refund (description)');
    const next = gateOf(outcome);
    expect(next.gateId).not.toBe(waiting.gateId);
    expect(decide('approve', waiting)).toMatchObject({ exit: 4, err: expect.stringContaining('gate_closed') });
    expect(project.ambit('gates', 'show', next.gateId).out).toContain('changed_tools');
    const approved = decide('approve', next);
    expect(approved).toMatchObject({ exit: 0, out: expect.stringContaining('completed  SUCCESS') });
    expect(project.ambit('replay', waiting.runId).exit).toBe(0);
    expect(project.ambit('trace', waiting.runId).exit).toBe(0);
  },
  { timeout: SLOW },
);

test('a migration without a change, or with another pack than that of the process, is refused', {
  timeout: SLOW,
}, () => {
  const { runId } = waitAtGate();
  const migrate = (...flags: readonly string[]) =>
    project.ambitWith(BO, 'sessions', 'migrate', runId, '--reason', 'to be sure', ...flags);
  expect(migrate()).toMatchObject({
    exit: 4,
    err: expect.stringContaining('already has the versions of this process'),
  });
  deploy('Refund an order at once');
  expect(migrate('--pack', 'another@9')).toMatchObject({ exit: 4, err: expect.stringContaining('pin_immutable') });
  expect(project.ambit('sessions', 'migrate', runId, '--as', 'bo')).toMatchObject({ exit: 2 });
});

verifies(
  'resume:mismatch:operator-migrates-or-terminates',
  'after a deploy the run is ended with the printed command',
  () => {
    const waiting = waitAtGate();
    deploy('Refund an order at once');
    const ended = runPrinted(refusedApproval(waiting), 'terminate');
    expect(ended).toMatchObject({ exit: 0, out: expect.stringContaining('cancelled  USER_CANCEL') });
  },
  { timeout: SLOW },
);

verifies(
  'resume:deploy:unused-change-does-not-strand',
  'after a deploy the run is rejected or cancelled without a migration',
  () => {
    const [rejected, cancelled] = [waitAtGate(), waitAtGate()];
    deploy('Refund an order at once');
    expect(decide('reject', rejected).out).toContain('PERMISSION_DENIED');
    const cancel = project.ambitWith(BO, 'sessions', 'cancel', cancelled.runId, '--reason', 'asked twice');
    expect(cancel).toMatchObject({ exit: 0, out: expect.stringContaining('cancelled  USER_CANCEL') });
  },
  { timeout: SLOW },
);

test('with enrolled keys, a migration is signed together with the tools that it accepts', { timeout: SLOW }, () => {
  const config = project.read('ambit.config.ts');
  const keyed = config
    .replace("from 'ambit';", "from 'ambit';\nimport { keyTools } from 'ambit/approvals';")
    .replace('    policy: {', '    policy: {\n      approvers: { keys: keyTools.inFile("keys.json") },');
  project.write('ambit.config.ts', keyed);
  const { file } = project.json<{ readonly file: string }>(
    ...['keys', 'new', 'cy_1', '--approver', 'cy', '--tenant', 'shop', '--role', 'finance', '--by', 'security'],
  );
  const { runId } = waitAtGate();
  deploy('Refund an order at once');
  const migrate = ['sessions', 'migrate', runId, '--reason', 'read it'];
  expect(project.ambitWith(BO, ...migrate)).toMatchObject({ exit: 3 });
  expect(project.ambit(...migrate, '--key', file)).toMatchObject({ exit: 8 });
  const events = project.ambit('sessions', 'events', runId, '--json').out.trimEnd().split('\n');
  const migrated = events.map((line) => JSON.parse(line)).find(({ type }) => type === 'run_migrated');
  expect(migrated).toMatchObject({
    by: 'cy',
    proof: { key_id: 'cy_1' },
    tools: { changed: [{ fields: ['description'] }] },
  });
  project.write('ambit.config.ts', config);
});
