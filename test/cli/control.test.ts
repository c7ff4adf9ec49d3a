/** Kill switches, standing grants and `sessions diagnose`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KillSwitch } from '../../src/approvals.ts';
import type { RunOutcome } from '../../src/index.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];
const WHY = ['--reason', 'the bank double-books'];

let project: Project;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
}, SLOW);
afterAll(() => project.remove());

test('a kill switch blocks its tool until an operator lifts it', { timeout: SLOW }, () => {
  expect(project.ambit('switches', 'list').out).toBe('No kill switches.\n');
  expect(project.ambit('switches', 'throw', ...WHY, '--as', 'ana')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('name a tenant, an agent or a tool'),
  });
  expect(project.ambit('switches', 'throw', '--tool', 'payments.refund', ...WHY)).toMatchObject({ exit: 3, out: '' });
  const line = ['switches', 'throw', '--tool', 'payments.refund', ...WHY, '--as', 'ana'];
  const { switch_id } = project.json<KillSwitch>(...line);
  expect(project.ambit('switches', 'list').out).toMatch(/tool payments\.refund +ana .*active/);
  const blocked = project.ambit(...RUN, '--yes', '--as', 'bo', '--role', 'finance', '--json');
  const { runId, terminalCode, reason } = JSON.parse(blocked.out) as RunOutcome;
  expect({ terminalCode, reason }).toEqual({ terminalCode: 'PERMISSION_DENIED', reason: 'kill_switch_on' });
  expect(project.ambit('sessions', 'diagnose', runId)).toMatchObject({
    exit: 0,
    out: expect.stringContaining(`ambit sessions show ${runId}`),
  });

  const lift = ['switches', 'lift', switch_id, '--reason', 'it is well again', '--as', 'ana'];
  expect(project.ambit(...lift).err).toContain('the role operator, which ana does not have');
  expect(project.ambit(...lift, '--role', 'operator')).toMatchObject({ exit: 0 });
  const [lifted] = project.json<readonly KillSwitch[]>('switches', 'list');
  expect(lifted).toMatchObject({ lifted: { by: 'ana', reason: 'it is well again' }, refused: [{ claimed_by: 'ana' }] });
  const paid = project.ambit(...RUN, '--yes', '--as', 'bo', '--role', 'finance');
  expect(paid).toMatchObject({ exit: 0, out: expect.stringContaining('SUCCESS') });
});

test('a grant is given from a file, listed and revoked', { timeout: SLOW }, () => {
  expect(project.ambit('grants', 'list').out).toBe('No standing grants.\n');
  const terms = {
    grant_id: 'grant_1',
    tenant_id: 'acme',
    tool: 'payments.refund',
    arguments: { order_id: { any: true } },
    uses_max: 3,
    microusd_max: 0,
    reason: 'refunds of this week',
    expires_at: Date.now() + 86_400_000,
  };
  project.write('terms.json', JSON.stringify(terms));
  // A destructive tool cannot have a standing grant.
  expect(project.ambit('grants', 'give', 'terms.json', '--as', 'ana').err).toContain('grant_not_allowed');
  project.write(
    'src/shop.ts',
    project.read('src/shop.ts').replace("approvalMode: 'destructive'", "approvalMode: 'network'"),
  );
  expect(project.ambit('grants', 'give', 'none.json', '--as', 'ana')).toMatchObject({ exit: 2, out: '' });
  expect(project.ambit('grants', 'give', 'terms.json', '--as', 'ana').out).toContain(
    'gave grant_1: up to 3 calls of payments.refund until ',
  );
  expect(project.ambit('grants', 'list').out).toMatch(/grant_1 +payments\.refund +acme +ana +0 of 3 +until/);
  expect(project.ambit('grants', 'revoke', 'grant_1', '--reason', 'over', '--as', 'ana').exit).toBe(0);
  expect(project.ambit('grants', 'list').out).toContain('revoked by ana: over');
  expect(project.ambit('grants', 'revoke', 'grant_2', '--reason', 'over', '--as', 'ana').err).toContain(
    'grant_not_found',
  );
});
