/** Tests that the gates of one call are one request: one packet, one pending entry, and one decision per person. */
import { describe, expect, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { decidableGates } from '../../../src/approvals.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { ApprovalPacket } from '../../../src/model/gate/approval-packet.ts';
import type { GatePolicy } from '../../../src/model/gate/gate.ts';
import type { GateAnswer } from '../../../src/runtime/gates/decide-gate.ts';
import type { PendingGate, RunOutcome } from '../../../src/session/outcome.ts';
import { rewriting, sharedStore } from '../../attacks/forged-record.ts';
import { eventsOf } from '../endings/turns.ts';
import { operator, planOf, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';
import { refusals, signer } from './bench.ts';

const FINANCE = 'GATE_FINANCE';
const LEGAL = 'GATE_LEGAL';

type Policies = Readonly<Record<string, Partial<GatePolicy>>>;

const ROLES: Policies = { [FINANCE]: { roles: ['finance'] }, [LEGAL]: { roles: ['legal'] } };

const options = (gates: readonly string[]): RigOptions => ({
  tools: { pay: { approval_mode: 'destructive', side_effect: true, gates, produces: ['done'] } },
  plans: [planOf([{ id: 's1', tool: 'pay', requires: gates, params: { amount: 1 } }])],
});

const paying = (policies: Policies, gates = [FINANCE, LEGAL]): Rig =>
  rig({ ...options(gates), world: { policy: { gates: policies } } });

function onlyGate({ pending }: RunOutcome): PendingGate {
  const [gate, ...others] = pending;
  if (gate === undefined || others.length > 0) throw new Error(`expected one pending gate, got ${pending.length}`);
  return gate;
}

type How = 'approve' | 'reject' | 'requestInfo';

async function decide(
  bench: Rig,
  { gateId, packetHash }: PendingGate,
  credential: GateAnswer['credential'],
  { how = 'approve', gates }: { readonly how?: How; readonly gates?: readonly string[] } = {},
): Promise<RunOutcome> {
  const named = gates === undefined ? {} : { gates };
  return await bench.settle(bench.runtime.gates[how](gateId, { packetHash, credential, reason: 'seen', ...named }));
}

const ana = operator('ana', ['finance']);
const lea = operator('lea', ['legal']);
const max = operator('max', ['finance', 'legal']);

describe('a call with two gates', () => {
  test('has one pending entry, and one packet with the deciders of each gate', async () => {
    const bench = paying({ ...ROLES, [FINANCE]: { roles: ['finance'], quorum: 2, ttlMs: 60_000 } });
    const gate = onlyGate(await bench.invoke());
    expect(gate).toMatchObject({
      name: FINANCE,
      gates: [
        { name: FINANCE, decided_by: null },
        { name: LEGAL, decided_by: null },
      ],
    });
    const packet = await bench.runtime.gates.packet(gate.packetHash);
    expect(packet['gates']).toMatchObject([
      { name: FINANCE, deciders: { roles: ['finance'], quorum: 2 }, expires_at: START_MS + 60_000 },
      { name: LEGAL, deciders: { roles: ['legal'], quorum: 1 } },
    ]);
    const [item] = (await bench.runtime.gates.list()).groups.flatMap(({ items }) => items);
    expect(item).toMatchObject({ gate: { gate_id: gate.gateId }, gates: gate.gates });
  });

  test('is sent after one approval by a person who may decide both', async () => {
    const bench = paying(ROLES);
    const gate = onlyGate(await bench.invoke());
    const done = await decide(bench, gate, max);
    expect(done.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(1);
    expect(done.record?.approvals).toMatchObject([
      { gate: FINANCE, approver: 'max', decision: 'approve', packet_hash: gate.packetHash },
      { gate: LEGAL, approver: 'max', decision: 'approve', packet_hash: gate.packetHash },
    ]);
    const events = await bench.events(done.runId);
    expect(eventsOf(events, 'gate_decided')).toMatchObject([{ approver: 'max', gates: [FINANCE, LEGAL] }]);
    await bench.runtime.records.replay(done.runId);
  });

  test('is not sent while one gate is undecided, and everything says which one', async () => {
    const bench = paying(ROLES);
    const gate = onlyGate(await bench.invoke());
    const half = await decide(bench, gate, ana);
    const gates = [
      { name: FINANCE, decided_by: 'ana' },
      { name: LEGAL, decided_by: null },
    ];
    expect(half).toMatchObject({ status: 'awaiting_gate', pending: [{ gateId: gate.gateId, gates }] });
    expect(half.suspended).toMatchObject({ reason: 'gate_open', detail: { gate: LEGAL } });
    expect(half.why).toEqual(['pay (step s1) waits for GATE_LEGAL; ana approved GATE_FINANCE']);
    expect(bench.dispatches).toEqual([]);
    expect(await bench.runtime.gates.get(gate.gateId)).toMatchObject({
      gate: { status: 'open' },
      gates,
      decided: null,
    });
    const [item] = (await bench.runtime.gates.list()).groups.flatMap(({ items }) => items);
    expect(item).toMatchObject({ gate: { gate_id: gate.gateId }, gates });
    const done = await decide(bench, gate, lea);
    expect(done.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(1);
    expect(await bench.runtime.gates.get(gate.gateId)).toMatchObject({
      gate: { status: 'approved' },
      gates: [
        { name: FINANCE, decided_by: 'ana' },
        { name: LEGAL, decided_by: 'lea' },
      ],
      decided: { decision: 'approve', by: 'lea' },
    });
    await bench.runtime.records.replay(done.runId);
  });

  test('refuses a person who may decide neither, and says who may', async () => {
    const bench = paying(ROLES);
    const gate = onlyGate(await bench.invoke());
    const bob = operator('bob', ['support']);
    for (const how of ['approve', 'reject', 'requestInfo'] as const) {
      await expect(decide(bench, gate, bob, { how })).rejects.toMatchObject({
        code: 'permission_denied',
        message:
          'gate GATE_FINANCE is decided by finance, which bob is not: given was support; gate GATE_LEGAL is decided by legal, which bob is not: given was support',
      });
    }
    expect(await refusals(bench, gate.gateId.slice('gate_'.length, -'_1'.length))).toHaveLength(3);
  });

  test('refuses an approval of a gate that the person may not decide, or that the call does not have', async () => {
    const bench = paying(ROLES);
    const gate = onlyGate(await bench.invoke());
    await expect(decide(bench, gate, ana, { gates: [FINANCE, LEGAL] })).rejects.toMatchObject({
      code: 'permission_denied',
      message: 'gate GATE_LEGAL is decided by legal, which ana is not: given was finance',
    });
    await expect(decide(bench, gate, ana, { gates: ['GATE_OTHER'] })).rejects.toMatchObject({
      code: 'input_invalid',
      message: `gate ${gate.gateId} is for GATE_FINANCE and GATE_LEGAL, not for GATE_OTHER`,
    });
    await expect(decide(bench, gate, ana, { how: 'reject', gates: [FINANCE] })).rejects.toMatchObject({
      code: 'event_illegal',
      message: 'only an approval names gates',
    });
    expect(bench.dispatches).toEqual([]);
  });

  test('is rejected by a person who may decide one of them, even after the other was approved', async () => {
    const bench = paying(ROLES);
    const gate = onlyGate(await bench.invoke());
    await decide(bench, gate, ana);
    const denied = await decide(bench, gate, lea, { how: 'reject' });
    expect(denied).toMatchObject({ status: 'rejected', reason: 'approval_rejected' });
    expect(denied.record?.approvals).toMatchObject([
      { gate: FINANCE, approver: 'ana', decision: 'approve' },
      { gate: LEGAL, approver: 'lea', decision: 'reject' },
    ]);
    expect(bench.dispatches).toEqual([]);
  });

  test('expires with the deadline of the first undecided gate', async () => {
    const bench = paying({ [FINANCE]: { ttlMs: 60_000 }, [LEGAL]: { ttlMs: 120_000 } });
    const gate = onlyGate(await bench.invoke());
    expect(gate.expiresAt).toBe(START_MS + 60_000);
    const half = await decide(bench, gate, ana, { gates: [FINANCE] });
    expect(onlyGate(half).expiresAt).toBe(START_MS + 120_000);
    bench.clock.advanceTo(START_MS + 120_000);
    const ended = await decide(bench, gate, lea);
    expect(ended).toMatchObject({ terminalCode: 'CONFIRM_REQUIRED', reason: 'gate_expired' });
    expect(bench.dispatches).toEqual([]);
  });

  test('asks for every gate again, with the answer, once a question was answered', async () => {
    const bench = paying(ROLES);
    const gate = onlyGate(await bench.invoke());
    await decide(bench, gate, ana);
    await decide(bench, gate, lea, { how: 'requestInfo' });
    const { gateId, packetHash } = gate;
    const told = { packetHash, credential: operator('agt_worker'), text: 'It is ours.' };
    const again = onlyGate(await bench.settle(bench.runtime.gates.provideInfo(gateId, told)));
    expect(again.gates.map(({ decided_by }) => decided_by)).toEqual([null, null]);
    expect((await bench.runtime.gates.packet(again.packetHash))['exchange']).toMatchObject([
      { asked_by: 'lea', text: 'It is ours.' },
    ]);
    expect(await decide(bench, again, max)).toMatchObject({ terminalCode: 'SUCCESS' });
  });

  test('is edited once, and all its gates open again with the new arguments', async () => {
    const bench = paying(ROLES);
    const gate = onlyGate(await bench.invoke());
    await decide(bench, gate, ana);
    const { gateId, packetHash } = gate;
    const edit = { packetHash, credential: lea, reason: 'less', parameters: { amount: 0 } };
    const again = onlyGate(await bench.settle(bench.runtime.gates.edit(gateId, edit)));
    expect(again.gates.map(({ decided_by }) => decided_by)).toEqual([null, null]);
    expect(await decide(bench, again, max)).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches).toMatchObject([{ args: { amount: 0 } }]);
  });
});

describe('separation of duties', () => {
  const SEPARATED: Policies = { [FINANCE]: {}, [LEGAL]: { separation: true } };

  test('leaves the separated gate to another person', async () => {
    const bench = paying(SEPARATED);
    const gate = onlyGate(await bench.invoke());
    const half = await decide(bench, gate, operator('ana'));
    expect(onlyGate(half).gates).toEqual([
      { name: FINANCE, decided_by: 'ana' },
      { name: LEGAL, decided_by: null },
    ]);
    await expect(decide(bench, gate, operator('ANA'))).rejects.toMatchObject({
      code: 'permission_denied',
      message: 'ANA took part in this call; another person decides gate GATE_LEGAL',
    });
    expect(await decide(bench, gate, operator('bob'))).toMatchObject({ terminalCode: 'SUCCESS' });
  });

  test('refuses both gates to one person in either order', async () => {
    const bench = paying(SEPARATED);
    const gate = onlyGate(await bench.invoke());
    await decide(bench, gate, operator('ana'), { gates: [LEGAL] });
    await expect(decide(bench, gate, operator('ana'), { gates: [FINANCE] })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    expect(await decide(bench, gate, operator('bob'))).toMatchObject({ terminalCode: 'SUCCESS' });
  });

  test('refuses one approval that names a separated gate and another one', async () => {
    const bench = paying(SEPARATED);
    const gate = onlyGate(await bench.invoke());
    await expect(decide(bench, gate, operator('ana'), { gates: [FINANCE, LEGAL] })).rejects.toMatchObject({
      code: 'permission_denied',
      message: 'gate GATE_LEGAL separates duties: one person approves it alone',
    });
  });
});

test('a quorum is counted for each gate', async () => {
  const bench = paying({ [FINANCE]: { quorum: 2 }, [LEGAL]: {} });
  const gate = onlyGate(await bench.invoke());
  const half = await decide(bench, gate, operator('ana'));
  expect(onlyGate(half).gates).toEqual([
    { name: FINANCE, decided_by: null },
    { name: LEGAL, decided_by: 'ana' },
  ]);
  const [item] = (await bench.runtime.gates.list()).groups.flatMap(({ items }) => items);
  expect(item).toMatchObject({ gate: { gate_id: gate.gateId, status: 'open' } });
  const done = await decide(bench, gate, operator('bob'));
  expect(done.terminalCode).toBe('SUCCESS');
  expect(done.record?.approvals.map(({ gate: name, approver }) => [name, approver])).toEqual([
    [FINANCE, 'ana'],
    [LEGAL, 'ana'],
    [FINANCE, 'bob'],
  ]);
});

test('a gate with a quorum stays in the inbox after the first approval', async () => {
  const bench = paying({ [FINANCE]: { quorum: 2 } }, [FINANCE]);
  const gate = onlyGate(await bench.invoke());
  await decide(bench, gate, operator('ana'));
  expect((await bench.runtime.gates.list()).groups).toMatchObject([{ items: [{ gate: { gate_id: gate.gateId } }] }]);
  expect(await bench.runtime.gates.get(gate.gateId)).toMatchObject({ gate: { status: 'open' }, decided: null });
});

describe('a signature', () => {
  async function signed() {
    const keys = memoryKeys();
    const policy = { gates: ROLES, approvers: { keys } };
    const bench = rig({ ...options([FINANCE, LEGAL]), world: { policy } });
    const people = {
      max: await signer(keys, 'max', { roles: ['finance', 'legal'] }),
      lea: await signer(keys, 'lea', { roles: ['legal'] }),
    };
    return { bench, keys, ...people, gate: onlyGate(await bench.invoke()) };
  }

  test('covers the gates that it names, and is proven when the run is read again', async () => {
    const { bench, max: signing, gate } = await signed();
    const packet = (await bench.runtime.gates.packet(gate.packetHash)) as unknown as ApprovalPacket;
    const gates = decidableGates(packet, ['finance', 'legal']);
    expect(gates).toEqual([FINANCE, LEGAL]);
    const done = await decide(bench, gate, signing.sign(gate, 'approve', START_MS, undefined, gates), { gates });
    expect(done.terminalCode).toBe('SUCCESS');
    expect(await bench.runtime.records.verify(done.runId)).toMatchObject({ proofs: { unproven: [], altered: [] } });
  });

  test('that names no gate is refused with the names of the gates', async () => {
    const { bench, max: signing, gate } = await signed();
    await expect(decide(bench, gate, signing.sign(gate, 'approve', START_MS))).rejects.toMatchObject({
      code: 'input_missing',
      message: `gate ${gate.gateId} waits for GATE_FINANCE and GATE_LEGAL: the approval has to name in "gates" those that it covers`,
    });
  });

  test('over one gate does not count for the other', async () => {
    const { bench, max: signing, gate } = await signed();
    const credential = signing.sign(gate, 'approve', START_MS, undefined, [LEGAL]);
    await expect(decide(bench, gate, credential, { gates: [FINANCE, LEGAL] })).rejects.toMatchObject({
      code: 'signature_invalid',
    });
    const half = await decide(bench, gate, credential, { gates: [LEGAL] });
    expect(onlyGate(half).gates.map(({ decided_by }) => decided_by)).toEqual([null, 'max']);
    expect(bench.dispatches).toEqual([]);
  });

  test('does not count for a gate that a writer of the store added to the record', async () => {
    const store = await sharedStore({ ...options([FINANCE, LEGAL]), world: { policy: { gates: ROLES } } });
    const keys = { keys: store.keys };
    const widened = (event: RunEvent): object =>
      event.type === 'gate_decided' ? { ...event, gates: [FINANCE, LEGAL] } : event;
    const world = { policy: { gates: ROLES, approvers: keys }, journal: rewriting(store.journal, widened) };
    const writer = rig({ ...options([FINANCE, LEGAL]), world });
    const gate = onlyGate(await writer.invoke());
    const signing = await signer(store.keys, 'max', { roles: ['finance', 'legal'] });
    const gates = [LEGAL];
    await decide(writer, gate, signing.sign(gate, 'approve', START_MS, undefined, gates), { gates });
    const reader = store.keyed();
    const runId = 'run_1';
    expect(await reader.runtime.records.verify(runId)).toMatchObject({
      proofs: { unproven: [{ cause: 'signature_invalid' }] },
    });
    await expect(reader.settle(reader.runtime.resume(runId))).rejects.toMatchObject({
      code: 'decision_unproven',
    });
    expect(reader.dispatches).toEqual([]);
  });

  test('by a key that is revoked before the call is sent does not count', async () => {
    const { bench, keys, max: signing, lea: legal, gate } = await signed();
    const half = [LEGAL];
    await decide(bench, gate, legal.sign(gate, 'approve', START_MS, undefined, half), { gates: half });
    await keys.revoke(legal.keyId, { at: START_MS, by: 'security_desk', reason: 'stolen' });
    const rest = [FINANCE];
    const waiting = await decide(bench, gate, signing.sign(gate, 'approve', START_MS, undefined, rest), {
      gates: rest,
    });
    expect(onlyGate(waiting).gates.map(({ decided_by }) => decided_by)).toEqual(['max', null]);
    expect(bench.dispatches).toEqual([]);
  });
});
