/** Tests that only an operator lifts a kill switch that spans tenants, and that refused attempts are recorded. */
import { describe, expect, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../../src/adapters/node/ed25519.ts';
import type { KillScope } from '../../../src/model/gate/kill-switch.ts';
import { signingText } from '../../../src/model/gate/signing-text.ts';
import type { Credential } from '../../../src/ports/approvers.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import type { KillSwitches } from '../../../src/runtime/admin/kill-switches.ts';
import { enrolKey } from '../../../src/runtime/gates/keys.ts';
import { operator, rig, START_MS } from '../rig.ts';
import { PAY } from './bench.ts';
import { STORES } from './stores.ts';

const reason = 'repaired';

interface SwitchBench {
  readonly switches: KillSwitches;
  readonly sign: (name: string, switchId: string) => Credential;
}

/** A runtime whose approvers all have a key of tenant_a, with their `roles`. */
async function switchBench(
  journal: Journal,
  roles: Readonly<Record<string, readonly string[]>>,
  role?: string,
): Promise<SwitchBench> {
  const keys = memoryKeys();
  const secrets = new Map<string, string>();
  for (const [approver, held] of Object.entries(roles)) {
    const pair = newKeyPair();
    secrets.set(approver, pair.privateKey);
    await enrolKey(keys, {
      key_id: `key_${approver}`,
      approver,
      tenant_id: 'tenant_a',
      roles: held,
      public_key: pair.publicKey,
      enrolled_at: START_MS,
      enrolled_by: 'security_desk',
      expires_at: null,
    });
  }
  const approvers = role === undefined ? { keys } : { keys, operatorRole: role };
  const bench = rig({ ...PAY, world: { journal, policy: { approvers } } });
  return {
    switches: bench.runtime.killSwitches,
    sign: (name, switch_id) => {
      const key_id = `key_${name}`;
      const text = signingText.lift({ switch_id, reason, key_id, signed_at: START_MS });
      const signature = signText(secrets.get(name) ?? '', text);
      return { kind: 'signing_key', keyId: key_id, signedAt: START_MS, signature };
    },
  };
}

describe.each(STORES)('%s', (_, open) => {
  test.each<[KillScope]>([[{ tool: 'pay' }], [{ agent: 'worker' }]])(
    'only an operator lifts a switch on %o',
    async (scope) => {
      const { switches, sign } = await switchBench(open()(), { ben: ['finance'], ops: ['operator'] });
      const switchId = await switches.throw({ scope, by: 'ana', reason: 'stop' });
      const tried = switches.lift({ switchId, reason, credential: sign('ben', switchId) });
      await expect(tried).rejects.toMatchObject({
        code: 'permission_denied',
        message: expect.stringContaining('the role operator, which ben does not have'),
      });
      const unsigned = switches.lift({ switchId, reason, by: 'ops' });
      await expect(unsigned).rejects.toMatchObject({ code: 'credential_unknown' });
      expect(await switches.list()).toMatchObject([
        {
          lifted: null,
          refused: [
            { claimed_by: 'ben', reason, code: 'permission_denied' },
            { claimed_by: 'ops', reason, code: 'credential_unknown' },
          ],
        },
      ]);
      await switches.lift({ switchId, reason, credential: sign('ops', switchId) });
      expect(await switches.list()).toMatchObject([
        { lifted: { by: 'ops', proof: { key_id: 'key_ops', roles: ['operator'], signature: expect.any(String) } } },
      ]);
    },
  );
});

const memory = STORES[0]?.[1];

test('the host can name the operator role', async () => {
  const journal = memory?.()();
  if (journal === undefined) throw new Error('no store');
  const { switches, sign } = await switchBench(journal, { ops: ['operator'], duty: ['duty_officer'] }, 'duty_officer');
  const switchId = await switches.throw({ scope: { tool: 'pay' }, by: 'ana', reason: 'stop' });
  const tried = switches.lift({ switchId, reason, credential: sign('ops', switchId) });
  await expect(tried).rejects.toMatchObject({ code: 'permission_denied' });
  await switches.lift({ switchId, reason, credential: sign('duty', switchId) });
});

test('people of a tenant lift its own switch without a role, and no switch of another tenant', async () => {
  const journal = memory?.()();
  if (journal === undefined) throw new Error('no store');
  const { switches, sign } = await switchBench(journal, { ben: [], ops: ['operator'] });
  const own = await switches.throw({ scope: { tenant: 'tenant_a' }, by: 'ana', reason: 'stop' });
  await switches.lift({ switchId: own, reason, credential: sign('ben', own) });
  const other = await switches.throw({ scope: { tenant: 'tenant_b' }, by: 'ana', reason: 'stop' });
  const tried = switches.lift({ switchId: other, reason, credential: sign('ops', other) });
  await expect(tried).rejects.toMatchObject({ code: 'permission_denied' });
});

test('without keys, a name counts as an operator, and a credential has its own roles', async () => {
  const { killSwitches } = rig(PAY).runtime;
  const switchId = await killSwitches.throw({ scope: { tool: 'pay' }, by: 'ana', reason: 'stop' });
  const tried = killSwitches.lift({ switchId, reason, credential: operator('ben', ['finance']) });
  await expect(tried).rejects.toMatchObject({ code: 'permission_denied' });
  await killSwitches.lift({ switchId, reason, by: 'ben' });
  expect(await killSwitches.list()).toMatchObject([{ lifted: { by: 'ben', proof: { roles: ['operator'] } } }]);
});
