/** A call with two gates at the command line: one entry, and one approval per person, with a name or a signature. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GateStanding } from '../../src/approvals.ts';
import type { RunOutcome } from '../../src/index.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const GOAL = ['--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];

let project: Project;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
  const both = "'GATE_REFUND', 'GATE_LEGAL'";
  for (const file of ['src/shop.ts', 'src/support.ts'])
    project.write(file, project.read(file).replace("['GATE_REFUND']", `[${both}]`));
  const config = project.read('ambit.config.ts');
  project.write('ambit.config.ts', config.replace('gates: {', "gates: { GATE_LEGAL: { roles: ['legal'] },"));
}, SLOW);
afterAll(() => project.remove());

function waitingGate(): { readonly gateId: string; readonly packetHash: string; readonly runId: string } {
  const { pending, runId } = project.json<RunOutcome>('run', ...GOAL);
  const [gate, ...others] = pending;
  if (gate === undefined || others.length > 0) throw new Error(`${runId} has ${pending.length} pending entries`);
  return { ...gate, runId };
}

test('shows all gates and what is still open, until each is approved', { timeout: SLOW }, () => {
  const { gateId, packetHash } = waitingGate();
  const shown = project.ambit('gates', 'show', gateId);
  expect(shown.out).toContain('GATE_REFUND, GATE_LEGAL');
  expect(shown.out).toContain('GATE_REFUND: one person with role finance');
  expect(shown.out).toContain('GATE_LEGAL: one person with role legal');
  const line = ['gates', 'approve', gateId, '--packet', packetHash, '--reason', 'fine'];
  const other = project.ambit(...line, '--for', 'GATE_LEGAL', '--as', 'bo', '--role', 'finance');
  expect(other).toMatchObject({
    exit: 3,
    err: expect.stringContaining('gate GATE_LEGAL is decided by legal, which bo is not: given was finance'),
  });
  const half = project.ambit(...line, '--as', 'bo', '--role', 'finance');
  expect(half.out).toContain('GATE_REFUND (approved by bo), GATE_LEGAL');
  expect(project.ambit('gates', 'list').out).toContain('GATE_REFUND (approved by bo), GATE_LEGAL');
  expect(project.json<GateStanding>('gates', 'show', gateId)).toMatchObject({
    gates: [
      { name: 'GATE_REFUND', decided_by: 'bo' },
      { name: 'GATE_LEGAL', decided_by: null },
    ],
  });
  const done = project.ambit(...line, '--as', 'lea', '--role', 'legal');
  expect(done).toMatchObject({ exit: 0, out: expect.stringContaining('approved by bo, lea') });
});

test('a key signs the gates that its roles may decide', { timeout: SLOW }, () => {
  const config = project.read('ambit.config.ts');
  const keyed = config
    .replace(
      "import { defineConfig } from 'ambit';",
      "import { defineConfig } from 'ambit';\nimport { keyTools } from 'ambit/approvals';",
    )
    .replace('    policy: {', '    policy: {\n      approvers: { keys: keyTools.inFile("keys.json") },');
  project.write('ambit.config.ts', keyed);
  const enrol = (id: string, approver: string, role: string): string =>
    project.json<{ file: string }>(
      ...['keys', 'new', id, '--approver', approver, '--tenant', 'shop', '--role', role, '--by', 'security'],
    ).file;
  const [finance, legal] = [enrol('bo_1', 'bo', 'finance'), enrol('lea_1', 'lea', 'legal')];
  const { gateId, packetHash, runId } = waitingGate();
  const line = ['gates', 'approve', gateId, '--packet', packetHash, '--reason', 'fine', '--key'];
  const half = project.json<RunOutcome>(...line, finance);
  expect(half.pending).toMatchObject([{ gates: [{ decided_by: 'bo' }, { decided_by: null }] }]);
  expect(project.json<RunOutcome>(...line, legal)).toMatchObject({ status: 'completed' });
  expect(project.json('verify', runId)).toMatchObject({ proofs: { checked: 2, unproven: [] } });
});
