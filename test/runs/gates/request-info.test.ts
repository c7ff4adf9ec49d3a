/** Tests that an approver can request information, and that the gate opens again with the exchange in its packet. */
import { describe, expect, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../../src/adapters/node/ed25519.ts';
import { ApprovalPacket } from '../../../src/model/gate/approval-packet.ts';
import type { Address } from '../../../src/model/json/hash.ts';
import { parse } from '../../../src/model/json/parse.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { enrolKey, signInfo } from '../../../src/runtime/gates/keys.ts';
import type { PendingGate } from '../../../src/session/outcome.ts';
import { operator, type Rig, rig, START_MS } from '../rig.ts';
import { PAY, refusals, signer } from './bench.ts';
import { STORES } from './stores.ts';

const QUESTION = 'whose invoice is this?';
const ADDRESS: Address = `sha256:${'a'.repeat(64)}`;

interface Asking {
  readonly bench: Rig;
  readonly runId: string;
  readonly gate: PendingGate;
}

async function asking(journal?: Journal, asks?: string): Promise<Asking> {
  const bench = rig({ ...PAY, ...(journal === undefined ? {} : { world: { journal } }) });
  const { runId, pending } = await bench.invoke();
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate');
  const inquiry = { packetHash: gate.packetHash, credential: operator('lead_1'), reason: QUESTION };
  await bench.runtime.gates.requestInfo(gate.gateId, asks === undefined ? inquiry : { ...inquiry, asks });
  return { bench, runId, gate };
}

describe.each(STORES)('%s', (_, open) => {
  test('an answer makes a new packet, outdates the old one, and opens the gate again', async () => {
    const { bench, runId, gate } = await asking(open()());
    expect(await bench.runtime.sessions.get(runId)).toMatchObject({
      inquiries: [{ gateId: gate.gateId, askedBy: 'lead_1', askedOf: 'agt_worker', question: QUESTION }],
    });
    const answered = await bench.runtime.gates.provideInfo(gate.gateId, {
      packetHash: gate.packetHash,
      credential: operator('agt_worker'),
      text: 'of the roofer',
      evidence: [ADDRESS],
    });
    const [reopened] = answered.pending;
    if (reopened === undefined) throw new Error('the gate did not open again');
    expect(answered).toMatchObject({ status: 'awaiting_gate', inquiries: [] });
    expect(reopened.packetHash).not.toBe(gate.packetHash);
    const packet = parse(ApprovalPacket, await bench.runtime.gates.packet(reopened.packetHash), 'packet_incomplete');
    expect(packet.exchange).toEqual([
      {
        asked_by: 'lead_1',
        asked_of: 'agt_worker',
        question: QUESTION,
        asked_at: START_MS,
        answered_by: 'agt_worker',
        text: 'of the roofer',
        evidence: [ADDRESS],
        answered_at: START_MS,
      },
    ]);
    const { exchange: __, expires_at: ___, ...before } = packet;
    expect(await bench.runtime.gates.packet(gate.packetHash)).toMatchObject(before);
    const yes = { credential: operator('lead_1'), reason: 'seen' };
    const stale = { ...yes, packetHash: gate.packetHash };
    await expect(bench.runtime.approve(gate.gateId, stale)).rejects.toMatchObject({ code: 'gate_closed' });
    await expect(bench.runtime.approve(reopened.gateId, stale)).rejects.toMatchObject({ code: 'grant_stale' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
    const done = await bench.runtime.approve(reopened.gateId, { ...yes, packetHash: reopened.packetHash });
    expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
    expect((await bench.events(runId)).find(({ type }) => type === 'info_provided')).toMatchObject({
      by: 'agt_worker',
      proof: { credential: 'local_operator', tenant_id: 'tenant_a' },
    });
    await bench.runtime.records.replay(runId);
    await bench.runtime.close();
  });

  test('a second process can take the answer, and a third the decision', async () => {
    const again = open();
    const { gate, runId } = await asking(again());
    const second = rig({ ...PAY, world: { journal: again() } });
    const answer = { packetHash: gate.packetHash, credential: operator('agt_worker'), text: 'of the roofer' };
    const { pending } = await second.runtime.gates.provideInfo(gate.gateId, answer);
    const third = rig({ ...PAY, world: { journal: again() } });
    const { gateId = '', packetHash = '' } = pending[0] ?? {};
    const yes = { packetHash, credential: operator('lead_1'), reason: 'seen' };
    expect(await third.runtime.approve(gateId, yes)).toMatchObject({ runId, terminalCode: 'SUCCESS' });
    expect(await third.journal.gates({ session: runId })).toMatchObject([
      { status: 'withdrawn' },
      { gate_id: gateId, status: 'approved' },
    ]);
  });
});

test('rejects an invalid answer with a code, records it, and leaves the gate unchanged', async () => {
  const { bench, runId, gate } = await asking(undefined, 'ana');
  const { packetHash, gateId } = gate;
  const validAnswer = { packetHash, credential: operator('ana'), text: 'of the roofer' };
  const cases = [
    ['permission_denied', { ...validAnswer, credential: operator('agt_worker') }],
    ['grant_stale', { ...validAnswer, packetHash: ADDRESS }],
    ['input_missing', { packetHash, credential: operator('ana') }],
    ['credential_unknown', { ...validAnswer, credential: { kind: 'operator_token', token: 'x' } }],
  ] as const;
  for (const [code, answer] of cases) {
    await expect(bench.runtime.gates.provideInfo(gateId, answer)).rejects.toMatchObject({ code });
  }
  expect(await refusals(bench, runId)).toMatchObject(
    cases.map(([code]) => ({ gate_id: gateId, decision: 'provide_info', code })),
  );
  expect((await bench.runtime.sessions.get(runId)).pending).toEqual([gate]);
  await expect(bench.runtime.gates.provideInfo('gate_none_1', validAnswer)).rejects.toMatchObject({
    code: 'gate_not_found',
  });
  const answered = await bench.runtime.gates.provideInfo(gateId, validAnswer);
  const [reopened] = answered.pending;
  const twice = { ...validAnswer, packetHash: reopened?.packetHash ?? '' };
  await expect(bench.runtime.gates.provideInfo(reopened?.gateId ?? '', twice)).rejects.toMatchObject({
    code: 'info_not_requested',
  });
});

test('an answer after the expiry of the gate ends the run as expired', async () => {
  const { bench, runId, gate } = await asking();
  bench.clock.advanceTo(START_MS + 3_600_000);
  const late = { packetHash: gate.packetHash, credential: operator('agt_worker'), text: 'of the roofer' };
  expect(await bench.runtime.gates.provideInfo(gate.gateId, late)).toMatchObject({ runId, reason: 'gate_expired' });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
});

test('rejects `asks` in any decision other than a request for information', async () => {
  const bench = rig(PAY);
  const { pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const odd = { packetHash, credential: operator('lead_1'), reason: 'yes', asks: 'ana' };
  await expect(bench.runtime.approve(gateId, odd)).rejects.toMatchObject({ code: 'event_illegal' });
});

test('while keys are enrolled, question and answer are signed over their own content', async () => {
  const keys = memoryKeys();
  const bench = rig({ ...PAY, world: { policy: { approvers: { keys } } } });
  const lead = await signer(keys, 'lead_1');
  const pair = newKeyPair();
  await enrolKey(keys, {
    key_id: 'key_ana',
    approver: 'ana',
    tenant_id: 'tenant_a',
    roles: [],
    public_key: pair.publicKey,
    enrolled_at: START_MS,
    enrolled_by: 'security_desk',
    expires_at: null,
  });
  const { pending } = await bench.invoke();
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate');
  const { gateId, packetHash } = gate;
  const unnamed = { packetHash, reason: 'seen', credential: lead.sign(gate, 'request_info', START_MS), asks: 'ana' };
  // The person asked is part of the signed text.
  await expect(bench.runtime.gates.requestInfo(gateId, unnamed)).rejects.toMatchObject({ code: 'signature_invalid' });
  const { asks: _, ...inquiry } = unnamed;
  await bench.runtime.gates.requestInfo(gateId, inquiry);
  const sign = (text: string) =>
    signInfo(
      { gate_id: gateId, packet_hash: packetHash, text, evidence: [], key_id: 'key_ana', signed_at: START_MS },
      (words) => signText(pair.privateKey, words),
    );
  const other = bench.runtime.gates.provideInfo(gateId, {
    packetHash,
    text: 'mine',
    credential: sign('of the roofer'),
  });
  await expect(other).rejects.toMatchObject({ code: 'signature_invalid' });
  // The question went to the actor of the run, not to ana.
  const anas = bench.runtime.gates.provideInfo(gateId, { packetHash, text: 'mine', credential: sign('mine') });
  await expect(anas).rejects.toMatchObject({ code: 'permission_denied' });
});
