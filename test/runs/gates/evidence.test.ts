/** Tests that an approver can look up the evidence of an open packet, and nothing else. */
import { expect, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../../src/adapters/node/ed25519.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { signingText } from '../../../src/model/gate/signing-text.ts';
import { address } from '../../../src/model/json/hash.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { Identity } from '../../../src/model/run/identity.ts';
import { enrolKey } from '../../../src/runtime/gates/keys.ts';
import { operator, type Rig, rig, START_MS } from '../rig.ts';
import { PAY } from './bench.ts';

const BALANCE = { balance: 100 };
const AT = address(sha256, BALANCE);
const identityOf = (tenant_id: string, roles: readonly string[] = ['worker']): Identity => ({
  actor: `someone_of_${tenant_id}`,
  tenant_id,
  roles,
  scopes: ['all'],
  expires_at: START_MS + 3_600_000,
});

async function waiting(world: Parameters<typeof rig>[0]['world'] = {}): Promise<Rig> {
  const bench = rig({ ...PAY, world });
  const { pending } = await bench.invoke();
  const packet = await bench.runtime.gates.packet(pending[0]?.packetHash ?? '');
  expect((packet['evidence'] as readonly JsonObject[]).map((ref) => ref['address'])).toEqual([AT]);
  return bench;
}

test('returns the committed value for an address in a packet', async () => {
  const { runtime } = await waiting();
  expect(await runtime.gates.evidence(AT)).toMatchObject({ runId: 'run_1', source: 'look', value: BALANCE });
  expect(await runtime.gates.evidence(AT, operator('ana'))).toMatchObject({ value: BALANCE });
});

test('returns nothing for an address that no open packet names, even if it is stored', async () => {
  const bench = await waiting();
  const { pending } = await bench.runtime.sessions.get('run_1');
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const nothing = { code: 'blob_missing', message: 'no open packet names this address' };
  for (const other of [packetHash, address(sha256, { balance: 101 }), 'sha256:', '']) {
    await expect(bench.runtime.gates.evidence(other)).rejects.toMatchObject(nothing);
  }
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'seen' }));
  await expect(bench.runtime.gates.evidence(AT)).rejects.toMatchObject(nothing);
});

test('returns nothing for an address in an expired packet', async () => {
  const bench = await waiting();
  const { pending } = await bench.runtime.sessions.get('run_1');
  bench.clock.advanceTo(pending[0]?.expiresAt ?? 0);
  await expect(bench.runtime.gates.evidence(AT)).rejects.toMatchObject({ code: 'blob_missing' });
});

test('requires a credential that may decide the gate, signed if decisions are signed', async () => {
  const roles = await waiting({ policy: { gates: { GATE_FINANCE: { roles: ['finance'] } } } });
  const intern = roles.runtime.gates.evidence(AT, operator('intern'));
  await expect(intern).rejects.toMatchObject({ code: 'permission_denied' });
  expect(await roles.runtime.gates.evidence(AT, operator('ana', ['finance']))).toMatchObject({ value: BALANCE });

  const keys = memoryKeys();
  const pair = newKeyPair();
  const key = { key_id: 'key_ana', approver: 'ana', roles: [], public_key: pair.publicKey, enrolled_at: START_MS };
  await enrolKey(keys, { ...key, tenant_id: 'tenant_a', enrolled_by: 'desk', expires_at: null });
  const signed = await waiting({ policy: { approvers: { keys } } });
  await expect(signed.runtime.gates.evidence(AT, operator('ana'))).rejects.toMatchObject({
    code: 'credential_unknown',
  });
  const sign = (read: string) => {
    const text = signingText.evidence({ address: read, key_id: 'key_ana', signed_at: START_MS });
    const signature = signText(pair.privateKey, text);
    return { kind: 'signing_key', keyId: 'key_ana', signedAt: START_MS, signature } as const;
  };
  expect(await signed.runtime.gates.evidence(AT, sign(AT))).toMatchObject({ value: BALANCE });
  await expect(signed.runtime.gates.evidence(AT, sign('sha256:other'))).rejects.toMatchObject({
    code: 'signature_invalid',
  });
});

test('hides evidence from other tenants', async () => {
  const { runtime } = await waiting();
  expect(await runtime.within(identityOf('tenant_a')).gates.evidence(AT)).toMatchObject({ value: BALANCE });
  const hidden = { code: 'permission_denied', message: expect.stringContaining('there is nothing with this id') };
  const otherTenant = runtime.within(identityOf('tenant_b'));
  await expect(otherTenant.gates.evidence(AT)).rejects.toMatchObject(hidden);
  await expect(otherTenant.gates.evidence(AT, operator('eve'), { tenant: 'tenant_a' })).rejects.toMatchObject(hidden);
});

test('a tenant runtime reads run state as the model, and as the auditor only with the compliance role', async () => {
  const { runtime } = await waiting();
  const worker = runtime.within(identityOf('tenant_a'));
  expect(await worker.sessions.readState('run_1', 'task_state', 'model')).toMatchObject({ status: 'awaiting_gate' });
  await worker.sessions.writeState('run_1', 'scratchpad', 'model', 'look twice');
  expect(await worker.sessions.readState('run_1', 'scratchpad', 'model')).toMatchObject([{ text: 'look twice' }]);
  for (const as of ['auditor', 'system'] as const) {
    const read = worker.sessions.readState('run_1', 'audit_record', as);
    await expect(read).rejects.toMatchObject({ code: 'permission_denied' });
  }
  const auditor = runtime.within(identityOf('tenant_a', ['compliance']));
  expect(await auditor.sessions.readState('run_1', 'audit_record', 'auditor')).toEqual(expect.any(Array));
  expect(await auditor.records.auditRecord('run_1', operator('cora', ['compliance']))).toEqual(expect.any(Array));
  const unproven = auditor.records.auditRecord('run_1', operator('cora'));
  await expect(unproven).rejects.toMatchObject({ code: 'permission_denied' });
});
