/** Whoever decides can look up what a packet rests on, and nothing that no open packet names. */
import { expect, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../../src/adapters/node/ed25519.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { enrolKey } from '../../../src/gates/keys.ts';
import { address } from '../../../src/model/hash.ts';
import type { Identity } from '../../../src/model/identity.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { evidenceText } from '../../../src/model/run-statement.ts';
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
  const packet = await bench.runtime.packet(pending[0]?.packetHash ?? '');
  expect((packet['evidence'] as readonly JsonObject[]).map((ref) => ref['address'])).toEqual([AT]);
  return bench;
}

test('the address in a packet leads to the value that the run committed', async () => {
  const { runtime } = await waiting();
  expect(await runtime.evidence(AT)).toMatchObject({ runId: 'run_1', source: 'look', value: BALANCE });
  expect(await runtime.evidence(AT, operator('ana'))).toMatchObject({ value: BALANCE });
});

test('an address that no open packet names leads nowhere, whatever is stored there', async () => {
  const bench = await waiting();
  const { pending } = await bench.runtime.outcome('run_1');
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const nothing = { code: 'blob_missing', message: 'no packet that waits for somebody names this address' };
  for (const other of [packetHash, address(sha256, { balance: 101 }), 'sha256:', '']) {
    await expect(bench.runtime.evidence(other)).rejects.toMatchObject(nothing);
  }
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'seen' }));
  await expect(bench.runtime.evidence(AT)).rejects.toMatchObject(nothing);
});

test('a packet that has expired names nothing any more', async () => {
  const bench = await waiting();
  const { pending } = await bench.runtime.outcome('run_1');
  bench.clock.advanceTo(pending[0]?.expiresAt ?? 0);
  await expect(bench.runtime.evidence(AT)).rejects.toMatchObject({ code: 'blob_missing' });
});

test('a credential is that of somebody who may decide at the gate, signed where decisions are', async () => {
  const roles = await waiting({ policy: { gates: { GATE_FINANCE: { roles: ['finance'] } } } });
  const intern = roles.runtime.evidence(AT, operator('intern'));
  await expect(intern).rejects.toMatchObject({ code: 'permission_denied' });
  expect(await roles.runtime.evidence(AT, operator('ana', ['finance']))).toMatchObject({ value: BALANCE });

  const keys = memoryKeys();
  const pair = newKeyPair();
  const key = { key_id: 'key_ana', approver: 'ana', roles: [], public_key: pair.publicKey, enrolled_at: START_MS };
  await enrolKey(keys, { ...key, tenant_id: 'tenant_a', enrolled_by: 'desk', expires_at: null });
  const signed = await waiting({ policy: { approvers: { keys } } });
  await expect(signed.runtime.evidence(AT, operator('ana'))).rejects.toMatchObject({ code: 'credential_unknown' });
  const sign = (read: string) => {
    const text = evidenceText({ address: read, key_id: 'key_ana', signed_at: START_MS });
    const signature = signText(pair.privateKey, text);
    return { kind: 'signing_key', keyId: 'key_ana', signedAt: START_MS, signature } as const;
  };
  expect(await signed.runtime.evidence(AT, sign(AT))).toMatchObject({ value: BALANCE });
  await expect(signed.runtime.evidence(AT, sign('sha256:other'))).rejects.toMatchObject({ code: 'signature_invalid' });
});

test('through the door of another tenant it does not exist', async () => {
  const { runtime } = await waiting();
  expect(await runtime.within(identityOf('tenant_a')).evidence(AT)).toMatchObject({ value: BALANCE });
  const hidden = { code: 'permission_denied', message: expect.stringContaining('there is nothing of this name') };
  const door = runtime.within(identityOf('tenant_b'));
  await expect(door.evidence(AT)).rejects.toMatchObject(hidden);
  await expect(door.evidence(AT, operator('eve'), { tenant: 'tenant_a' })).rejects.toMatchObject(hidden);
});

test('behind a door the stores of a run are read as a model reads them, and as an auditor by auditors alone', async () => {
  const { runtime } = await waiting();
  const worker = runtime.within(identityOf('tenant_a'));
  expect(await worker.readState('run_1', 'task_state', 'model')).toMatchObject({ status: 'awaiting_gate' });
  await worker.writeState('run_1', 'scratchpad', 'model', 'look twice');
  expect(await worker.readState('run_1', 'scratchpad', 'model')).toMatchObject([{ text: 'look twice' }]);
  for (const as of ['auditor', 'system'] as const) {
    const read = worker.readState('run_1', 'audit_record', as);
    await expect(read).rejects.toMatchObject({ code: 'permission_denied' });
  }
  const auditor = runtime.within(identityOf('tenant_a', ['compliance']));
  expect(await auditor.readState('run_1', 'audit_record', 'auditor')).toEqual(expect.any(Array));
  expect(await auditor.auditRecord('run_1', operator('cora', ['compliance']))).toEqual(expect.any(Array));
  const unproven = auditor.auditRecord('run_1', operator('cora'));
  await expect(unproven).rejects.toMatchObject({ code: 'permission_denied' });
});
