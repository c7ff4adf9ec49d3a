/** A kill switch over every tenant is lifted by an operator, and whoever tried and was none is on record. */
import { describe, expect, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../../src/adapters/node/ed25519.ts';
import { enrolKey } from '../../../src/gates/keys.ts';
import type { KillScope } from '../../../src/model/kill-switch.ts';
import { liftText } from '../../../src/model/run-statement.ts';
import type { Credential } from '../../../src/ports/approvers.ts';
import type { Journal } from '../../../src/ports/journal.ts';
import type { KillSwitchDesk } from '../../../src/session/kill-switches.ts';
import { operator, rig, START_MS } from '../rig.ts';
import { PAY } from './bench.ts';
import { STORES } from './stores.ts';

const reason = 'repaired';

interface Desk {
  readonly switches: KillSwitchDesk;
  readonly sign: (name: string, switchId: string) => Credential;
}

/** Everybody has a key of tenant_a; only `roles` say who is what. */
async function deskOf(
  journal: Journal,
  roles: Readonly<Record<string, readonly string[]>>,
  role?: string,
): Promise<Desk> {
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
      const text = liftText({ switch_id, reason, key_id, signed_at: START_MS });
      const signature = signText(secrets.get(name) ?? '', text);
      return { kind: 'signing_key', keyId: key_id, signedAt: START_MS, signature };
    },
  };
}

describe.each(STORES)('%s', (_, open) => {
  test.each<[KillScope]>([[{ tool: 'pay' }], [{ agent: 'worker' }]])('a switch on %o', async (scope) => {
    const { switches, sign } = await deskOf(open()(), { ben: ['finance'], ops: ['operator'] });
    const switchId = await switches.throw({ scope, by: 'ana', reason: 'stop' });
    const tried = switches.lift({ switchId, reason, credential: sign('ben', switchId) });
    await expect(tried).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('the role operator, which ben has not'),
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
  });
});

const memory = STORES[0]?.[1];

test('the role has the name that the host gives it', async () => {
  const journal = memory?.()();
  if (journal === undefined) throw new Error('no store');
  const { switches, sign } = await deskOf(journal, { ops: ['operator'], duty: ['duty_officer'] }, 'duty_officer');
  const switchId = await switches.throw({ scope: { tool: 'pay' }, by: 'ana', reason: 'stop' });
  const tried = switches.lift({ switchId, reason, credential: sign('ops', switchId) });
  await expect(tried).rejects.toMatchObject({ code: 'permission_denied' });
  await switches.lift({ switchId, reason, credential: sign('duty', switchId) });
});

test("a tenant's own switch is lifted by its own people, whatever their role", async () => {
  const journal = memory?.()();
  if (journal === undefined) throw new Error('no store');
  const { switches, sign } = await deskOf(journal, { ben: [], ops: ['operator'] });
  const own = await switches.throw({ scope: { tenant: 'tenant_a' }, by: 'ana', reason: 'stop' });
  await switches.lift({ switchId: own, reason, credential: sign('ben', own) });
  const other = await switches.throw({ scope: { tenant: 'tenant_b' }, by: 'ana', reason: 'stop' });
  const tried = switches.lift({ switchId: other, reason, credential: sign('ops', other) });
  await expect(tried).rejects.toMatchObject({ code: 'permission_denied' });
});

test('without keys the process vouches for a name as for an operator, and for a credential as it is given', async () => {
  const { killSwitches } = rig(PAY).runtime;
  const switchId = await killSwitches.throw({ scope: { tool: 'pay' }, by: 'ana', reason: 'stop' });
  const tried = killSwitches.lift({ switchId, reason, credential: operator('ben', ['finance']) });
  await expect(tried).rejects.toMatchObject({ code: 'permission_denied' });
  await killSwitches.lift({ switchId, reason, by: 'ben' });
  expect(await killSwitches.list()).toMatchObject([{ lifted: { by: 'ben', proof: { roles: ['operator'] } } }]);
});
