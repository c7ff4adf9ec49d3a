/** Tests that only a person with a valid key can decide, and only about this gate; every other attempt is recorded. */
import { describe, expect, test } from 'vitest';
import type { Credential } from '../../../src/ports/approvers.ts';
import { operator, START_MS } from '../rig.ts';
import { refusals, type Signer, signer, type Waiting, waitingSigned } from './bench.ts';

const answer = (credential: Credential, { gate }: Waiting): Parameters<Waiting['bench']['runtime']['approve']> => [
  gate.gateId,
  { packetHash: gate.packetHash, credential, reason: 'seen' },
];

async function refused(waiting: Waiting, credential: Credential, code: string): Promise<void> {
  const { bench, runId } = waiting;
  await expect(bench.runtime.approve(...answer(credential, waiting))).rejects.toMatchObject({ code });
  expect(await refusals(bench, runId)).toMatchObject([{ code, decision: 'approve', gate_id: waiting.gate.gateId }]);
  expect(await bench.runtime.sessions.get(runId)).toMatchObject({
    status: 'awaiting_gate',
    pending: [{ name: 'GATE_FINANCE' }],
  });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
}

test('accepts a signed approval of a person with the role, and records identity and signature', async () => {
  const waiting = await waitingSigned();
  const ana = await signer(waiting.keys, 'ana');
  const credential = ana.sign(waiting.gate, 'approve', START_MS);
  const done = await waiting.bench.runtime.approve(...answer(credential, waiting));
  expect(done.terminalCode).toBe('SUCCESS');
  const events = await waiting.bench.events(waiting.runId);
  expect(events.find(({ type }) => type === 'gate_decided')).toMatchObject({
    approver: 'ana',
    proof: { credential: 'signing_key', key_id: ana.keyId, roles: ['finance'], signature: expect.any(String) },
  });
  await waiting.bench.runtime.records.replay(waiting.runId);
});

test.each([
  [['support', 'ops'], 'gate GATE_FINANCE is decided by finance, which bob is not: given was support and ops'],
  [[], 'gate GATE_FINANCE is decided by finance, which bob is not: no role was given'],
])('a refusal for the roles %j names them and the required ones', async (roles, message) => {
  const waiting = await waitingSigned();
  const bob = await signer(waiting.keys, 'bob', { roles });
  const credential = bob.sign(waiting.gate, 'approve', START_MS);
  await expect(waiting.bench.runtime.approve(...answer(credential, waiting))).rejects.toMatchObject({ message });
});

describe('refuses and records, while the gate stays open', () => {
  test('forged: a signature by another key', async () => {
    const waiting = await waitingSigned();
    const ana = await signer(waiting.keys, 'ana');
    const mallory = await signer(waiting.keys, 'mallory');
    const forged = { ...mallory.sign(waiting.gate, 'approve', START_MS), keyId: ana.keyId } as Credential;
    await refused(waiting, forged, 'signature_invalid');
  });

  test.each([
    ['an unknown key', { keyId: 'key_of_nobody' }],
    ['an invalid signature', { signature: 'AAAA' }],
    ['a signature with another time', { signedAt: START_MS + 1 }],
  ])('forged: %s', async (_, changes) => {
    const waiting = await waitingSigned();
    const ana = await signer(waiting.keys, 'ana');
    await refused(
      waiting,
      { ...ana.sign(waiting.gate, 'approve', START_MS), ...changes } as Credential,
      'signature_invalid',
    );
  });

  test('forged: a signed rejection presented as an approval', async () => {
    const waiting = await waitingSigned();
    const ana = await signer(waiting.keys, 'ana');
    await refused(waiting, ana.sign(waiting.gate, 'reject', START_MS), 'signature_invalid');
  });

  test('forged: a name without a key, while keys are enrolled', async () => {
    const waiting = await waitingSigned();
    await refused(waiting, operator('ana', ['finance']), 'credential_unknown');
  });

  test('replayed: a signature for another gate', async () => {
    const other = await waitingSigned();
    const waiting = await waitingSigned();
    const ana = await signer(waiting.keys, 'ana');
    await refused(
      waiting,
      ana.sign({ ...other.gate, gateId: 'gate_run_9_1' }, 'approve', START_MS),
      'signature_invalid',
    );
  });

  test('replayed: the same signature twice', async () => {
    const waiting = await waitingSigned();
    const ana = await signer(waiting.keys, 'ana');
    const credential = ana.sign(waiting.gate, 'request_info', START_MS);
    const ask = answer(credential, waiting);
    expect(await waiting.bench.runtime.gates.requestInfo(...ask)).toMatchObject({ status: 'awaiting_gate' });
    await expect(waiting.bench.runtime.gates.requestInfo(...ask)).rejects.toMatchObject({ code: 'decision_replayed' });
    expect(await refusals(waiting.bench, waiting.runId)).toMatchObject([
      { code: 'decision_replayed', claimed_by: 'ana' },
    ]);
  });

  test('expired: a signature that is too old', async () => {
    const waiting = await waitingSigned();
    const ana = await signer(waiting.keys, 'ana');
    const credential = ana.sign(waiting.gate, 'approve', START_MS);
    waiting.bench.clock.advanceTo(START_MS + 16 * 60_000);
    await refused(waiting, credential, 'signature_expired');
  });

  test('expired and revoked keys', async () => {
    const waiting = await waitingSigned();
    const old = await signer(waiting.keys, 'old', { expires: START_MS });
    await refused(waiting, old.sign(waiting.gate, 'approve', START_MS), 'signing_key_revoked');
    const ana = await signer(waiting.keys, 'ana');
    await waiting.keys.revoke(ana.keyId, { at: START_MS, by: 'security_desk', reason: 'lost laptop' });
    await expect(
      waiting.bench.runtime.approve(...answer(ana.sign(waiting.gate, 'approve', START_MS), waiting)),
    ).rejects.toMatchObject({ code: 'signing_key_revoked', message: expect.stringContaining('lost laptop') });
  });

  test.each<[string, (waiting: Waiting) => Promise<Signer>]>([
    ['a person of another tenant', ({ keys }) => signer(keys, 'eve', { tenant: 'tenant_b' })],
    ['a person with another role', ({ keys }) => signer(keys, 'bob', { roles: ['support'] })],
    ['the actor of the run', ({ keys }) => signer(keys, 'agt_worker')],
  ])('%s', async (_, who) => {
    const waiting = await waitingSigned();
    const person = await who(waiting);
    await refused(waiting, person.sign(waiting.gate, 'approve', START_MS), 'permission_denied');
  });

  test('a gate_decided event that is sent to the run', async () => {
    const { bench, gate, runId } = await waitingSigned();
    const decision = { type: 'gate_decided', gate_id: gate.gateId, packet_hash: gate.packetHash, decision: 'approve' };
    await expect(
      bench.runtime.sessions.send(runId, { ...decision, approver: 'ana', reason: 'ok' }),
    ).rejects.toMatchObject({
      code: 'event_illegal',
    });
  });

  test('repeated attempts, of which the journal records at most 100', async () => {
    const waiting = await waitingSigned();
    for (let attempt = 0; attempt < 110; attempt += 1) {
      await expect(waiting.bench.runtime.approve(...answer(operator('eve'), waiting))).rejects.toMatchObject({
        code: 'credential_unknown',
      });
    }
    expect(await refusals(waiting.bench, waiting.runId)).toHaveLength(100);
  });
});

describe('a gate with a quorum of two', () => {
  test('opens for a second person, not for a second key of the same person', async () => {
    const waiting = await waitingSigned({ roles: ['finance'], quorum: 2 });
    const { bench, keys, gate, runId } = waiting;
    const [ana, bob] = [await signer(keys, 'ana'), await signer(keys, 'bob')];
    const again = await signer(keys, 'ana');
    const first = await bench.runtime.approve(...answer(ana.sign(gate, 'approve', START_MS), waiting));
    expect(first).toMatchObject({ status: 'awaiting_gate', pending: [{ gateId: gate.gateId }] });
    await expect(
      bench.runtime.approve(...answer(again.sign(gate, 'approve', START_MS), waiting)),
    ).rejects.toMatchObject({ code: 'permission_denied', message: expect.stringContaining('already') });
    const done = await bench.runtime.approve(...answer(bob.sign(gate, 'approve', START_MS), waiting));
    expect(done.terminalCode).toBe('SUCCESS');
    expect(done.record?.approvals.map(({ approver }) => approver)).toEqual(['ana', 'bob']);
    await bench.runtime.records.replay(runId);
  });

  test('closes at one rejection', async () => {
    const waiting = await waitingSigned({ quorum: 2 });
    const ana = await signer(waiting.keys, 'ana');
    const decision = answer(ana.sign(waiting.gate, 'reject', START_MS), waiting);
    expect(await waiting.bench.runtime.gates.reject(...decision)).toMatchObject({ status: 'rejected' });
  });
});

test('a gate expires after the ttlMs of its policy, independent of the session', async () => {
  const { bench, gate, runId } = await waitingSigned({ ttlMs: 5_000 });
  expect(gate.expiresAt).toBe(START_MS + 5_000);
  bench.clock.advanceTo(START_MS + 5_000);
  expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'expired', reason: 'gate_expired' });
});
