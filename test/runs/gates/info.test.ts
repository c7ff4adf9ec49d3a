/** Whoever decides may want to know more first: the one asked answers, and the gate asks anew with the exchange in it. */
import { describe, expect, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../../src/adapters/node/ed25519.ts';
import { enrolKey } from '../../../src/gates/keys.ts';
import { signInfo } from '../../../src/gates/sign.ts';
import { ApprovalPacket } from '../../../src/model/approval-packet.ts';
import type { Address } from '../../../src/model/hash.ts';
import { parse } from '../../../src/model/parse.ts';
import type { Journal } from '../../../src/ports/journal.ts';
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
  await bench.runtime.requestInfo(gate.gateId, asks === undefined ? inquiry : { ...inquiry, asks });
  return { bench, runId, gate };
}

describe.each(STORES)('%s', (_, open) => {
  test('the answer makes a new packet, the old one is stale, and the approver is asked again', async () => {
    const { bench, runId, gate } = await asking(open()());
    expect(await bench.runtime.outcome(runId)).toMatchObject({
      inquiries: [{ gateId: gate.gateId, askedBy: 'lead_1', askedOf: 'agt_worker', question: QUESTION }],
    });
    const told = await bench.runtime.provideInfo(gate.gateId, {
      packetHash: gate.packetHash,
      credential: operator('agt_worker'),
      text: 'of the roofer',
      evidence: [ADDRESS],
    });
    const [anew] = told.pending;
    if (anew === undefined) throw new Error('nobody is asked again');
    expect(told).toMatchObject({ status: 'awaiting_gate', inquiries: [] });
    expect(anew.packetHash).not.toBe(gate.packetHash);
    const packet = parse(ApprovalPacket, await bench.runtime.packet(anew.packetHash), 'packet_incomplete');
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
    expect(await bench.runtime.packet(gate.packetHash)).toMatchObject(before);
    const yes = { credential: operator('lead_1'), reason: 'seen' };
    const stale = { ...yes, packetHash: gate.packetHash };
    await expect(bench.runtime.approve(gate.gateId, stale)).rejects.toMatchObject({ code: 'gate_closed' });
    await expect(bench.runtime.approve(anew.gateId, stale)).rejects.toMatchObject({ code: 'grant_stale' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
    const done = await bench.runtime.approve(anew.gateId, { ...yes, packetHash: anew.packetHash });
    expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
    expect((await bench.events(runId)).find(({ type }) => type === 'info_provided')).toMatchObject({
      by: 'agt_worker',
      proof: { credential: 'local_operator', tenant_id: 'tenant_a' },
    });
    await bench.runtime.replay(runId);
    await bench.runtime.close();
  });

  test('another process takes the answer, and a third the decision', async () => {
    const again = open();
    const { gate, runId } = await asking(again());
    const second = rig({ ...PAY, world: { journal: again() } });
    const answer = { packetHash: gate.packetHash, credential: operator('agt_worker'), text: 'of the roofer' };
    const { pending } = await second.runtime.provideInfo(gate.gateId, answer);
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

test('what is wrong with an answer is refused by code and on record, and the gate is as it was', async () => {
  const { bench, runId, gate } = await asking(undefined, 'ana');
  const { packetHash, gateId } = gate;
  const said = { packetHash, credential: operator('ana'), text: 'of the roofer' };
  const cases = [
    ['permission_denied', { ...said, credential: operator('agt_worker') }],
    ['grant_stale', { ...said, packetHash: ADDRESS }],
    ['input_missing', { packetHash, credential: operator('ana') }],
    ['credential_unknown', { ...said, credential: { kind: 'operator_token', token: 'x' } }],
  ] as const;
  for (const [code, answer] of cases) {
    await expect(bench.runtime.provideInfo(gateId, answer)).rejects.toMatchObject({ code });
  }
  expect(await refusals(bench, runId)).toMatchObject(
    cases.map(([code]) => ({ gate_id: gateId, decision: 'provide_info', code })),
  );
  expect((await bench.runtime.outcome(runId)).pending).toEqual([gate]);
  await expect(bench.runtime.provideInfo('gate_none_1', said)).rejects.toMatchObject({ code: 'gate_not_found' });
  const told = await bench.runtime.provideInfo(gateId, said);
  const [anew] = told.pending;
  const twice = { ...said, packetHash: anew?.packetHash ?? '' };
  await expect(bench.runtime.provideInfo(anew?.gateId ?? '', twice)).rejects.toMatchObject({
    code: 'info_not_requested',
  });
});

test('a gate that expires before the answer comes is over', async () => {
  const { bench, runId, gate } = await asking();
  bench.clock.advanceTo(START_MS + 3_600_000);
  const late = { packetHash: gate.packetHash, credential: operator('agt_worker'), text: 'of the roofer' };
  expect(await bench.runtime.provideInfo(gate.gateId, late)).toMatchObject({ runId, reason: 'gate_expired' });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
});

test('only a request for information names somebody who is asked', async () => {
  const bench = rig(PAY);
  const { pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const odd = { packetHash, credential: operator('lead_1'), reason: 'yes', asks: 'ana' };
  await expect(bench.runtime.approve(gateId, odd)).rejects.toMatchObject({ code: 'event_illegal' });
});

test('where keys are enrolled the answer is signed, over its own words, once', async () => {
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
  // Who is asked is a part of what is signed.
  await expect(bench.runtime.requestInfo(gateId, unnamed)).rejects.toMatchObject({ code: 'signature_invalid' });
  const { asks: _, ...inquiry } = unnamed;
  await bench.runtime.requestInfo(gateId, inquiry);
  const sign = (text: string) =>
    signInfo(
      { gate_id: gateId, packet_hash: packetHash, text, evidence: [], key_id: 'key_ana', signed_at: START_MS },
      (words) => signText(pair.privateKey, words),
    );
  const other = bench.runtime.provideInfo(gateId, { packetHash, text: 'mine', credential: sign('of the roofer') });
  await expect(other).rejects.toMatchObject({ code: 'signature_invalid' });
  // The one for whom the run acts was asked, and ana is somebody else.
  const anas = bench.runtime.provideInfo(gateId, { packetHash, text: 'mine', credential: sign('mine') });
  await expect(anas).rejects.toMatchObject({ code: 'permission_denied' });
});
