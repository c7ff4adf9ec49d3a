/** Tests that a packet shows the complete call and that exactly this call runs. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { ApprovalPacket, PlanPacket } from '../../../src/model/gate/approval-packet.ts';
import { address } from '../../../src/model/json/hash.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { parse } from '../../../src/model/json/parse.ts';
import type { PendingGate, RunOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';
import { PAY } from './bench.ts';

async function waiting(
  options: RigOptions,
): Promise<{ readonly bench: Rig; readonly gate: PendingGate; readonly runId: string }> {
  const bench = rig(options);
  const { pending, runId, reason } = await bench.invoke();
  const [gate] = pending;
  if (gate === undefined) throw new Error(`no gate: ${reason}`);
  return { bench, gate, runId };
}

const yes = (gate: PendingGate): Parameters<Rig['runtime']['approve']> => [
  gate.gateId,
  { packetHash: gate.packetHash, credential: operator('lead_1'), reason: 'seen' },
];

const gateOf = ({ pending }: RunOutcome): PendingGate => {
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate');
  return gate;
};

test('a packet requested by gate id is rejected with a hint to use the packet hash', async () => {
  const { bench, gate } = await waiting(PAY);
  await expect(bench.runtime.gates.packet(gate.gateId)).rejects.toMatchObject({
    code: 'input_invalid',
    message: expect.stringContaining('by its packetHash'),
  });
});

verifies(
  'escalate:mutation:confirmation-packet',
  'requires action, parameters, blast radius and rollback path in a packet',
  async () => {
    const { bench, gate } = await waiting(PAY);
    const shown = await bench.runtime.gates.packet(gate.packetHash);
    const packet = parse(ApprovalPacket, shown, 'packet_incomplete');
    const seen = { evidence_id: 'ev_1', source: 'look', address: address(sha256, { balance: 100 }) };
    expect(packet).toMatchObject({
      action: 'pay',
      parameters: { amount: 100 },
      args_hash: address(sha256, { amount: 100 }),
      via: null,
      position: { n: 2, of: 2 },
      evidence: [seen],
      evidence_refs: ['ev_1'],
      evidence_hash: address(sha256, [seen]),
      approval_mode: 'destructive',
      risk: 'low',
      blast_radius: 'One payment.',
      rollback_path: 'Cancel within an hour.',
      requested_by: 'agt_worker',
      deciders: { roles: [], quorum: 1, separation: false },
      expires_at: START_MS + 3_600_000,
    });
    expect(packet.provenance['/amount']).toMatchObject({ source: 'look' });
    for (const field of ['action', 'parameters', 'blast_radius', 'rollback_path']) {
      const { [field]: _, ...rest } = shown;
      expect(() => parse(ApprovalPacket, rest, 'packet_incomplete')).toThrow(field);
    }
    expect(await bench.runtime.approve(...yes(gate))).toMatchObject({ terminalCode: 'SUCCESS' });
  },
);

const DISPATCHER: RigOptions = {
  tools: {
    run_any: {
      approval_mode: 'local_write',
      side_effect: true,
      unwrap: { tool: '/tool', args: '/input' },
      produces: ['done'],
    },
    wipe: {
      approval_mode: 'destructive',
      side_effect: true,
      gates: ['GATE_OWNER'],
      input_schema: { type: 'object', properties: { disk: { type: 'string' } }, required: ['disk'] },
      hazards: { blast_radius: 'A whole disk.', rollback: 'None.' },
    },
    peek: {},
  },
};

const through = (tool: string, input: JsonObject): RigOptions => ({
  ...DISPATCHER,
  plans: [planOf([{ id: 's1', tool: 'run_any', params: { tool, input } }])],
});

describe('a call through a dispatcher', () => {
  test('is classified, shown and approved as its inner call', async () => {
    const { bench, gate } = await waiting(through('wipe', { disk: 'd1' }));
    expect(gate.name).toBe('GATE_OWNER');
    expect(await bench.runtime.gates.packet(gate.packetHash)).toMatchObject({
      action: 'wipe',
      parameters: { disk: 'd1' },
      via: { action: 'run_any', parameters: { tool: 'wipe', input: { disk: 'd1' } } },
      approval_mode: 'destructive',
      blast_radius: 'A whole disk.',
    });
    expect(bench.dispatches).toEqual([]);
    expect(await bench.runtime.approve(...yes(gate))).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches).toMatchObject([{ tool: 'run_any', args: { tool: 'wipe', input: { disk: 'd1' } } }]);
  });

  test('to a harmless tool runs without a gate', async () => {
    const bench = rig(through('peek', {}));
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  });

  test.each<[string, string, JsonObject, string]>([
    ['a tool that does not exist', 'format_c', {}, 'hallucinated_capability'],
    ['arguments that the tool does not take', 'wipe', { disk: 7 }, 'argument_invalid'],
  ])('to %s is refused', async (_, tool, input, code) => {
    const bench = rig(through(tool, input));
    const { runId } = await bench.invoke();
    const refused = (await bench.events(runId)).find(({ type }) => type === 'step_refused');
    expect(refused).toMatchObject({ code });
    expect(bench.dispatches).toEqual([]);
  });

  test('is edited as shown and wrapped again', async () => {
    const { bench, gate } = await waiting(through('wipe', { disk: 'd1' }));
    const [gateId, answer] = yes(gate);
    const again = await bench.runtime.gates.edit(gateId, { ...answer, parameters: { disk: 'd2' } });
    expect(await bench.runtime.gates.packet(gateOf(again).packetHash)).toMatchObject({ parameters: { disk: 'd2' } });
    await bench.runtime.approve(...yes(gateOf(again)));
    expect(bench.dispatches).toMatchObject([{ args: { tool: 'wipe', input: { disk: 'd2' } } }]);
  });
});

describe('edited arguments', () => {
  test('make a new packet that needs its own decision, and run as approved', async () => {
    const { bench, gate, runId } = await waiting(PAY);
    const [gateId, answer] = yes(gate);
    const again = await bench.runtime.gates.edit(gateId, { ...answer, parameters: { amount: 40 } });
    const fresh = gateOf(again);
    expect(again.status).toBe('awaiting_gate');
    expect(fresh.gateId).not.toBe(gateId);
    expect(await bench.runtime.gates.packet(fresh.packetHash)).toMatchObject({
      parameters: { amount: 40 },
      provenance: { '/amount': { source: 'lead_1', trusted: true } },
    });
    await expect(bench.runtime.approve(gateId, answer)).rejects.toMatchObject({
      code: 'gate_closed',
      message: expect.stringContaining('was already edited by lead_1'),
    });
    expect(await bench.runtime.gates.get(gateId)).toMatchObject({
      gate: { status: 'withdrawn' },
      decided: { by: 'lead_1' },
    });
    const old = { ...answer, packetHash: gate.packetHash };
    await expect(bench.runtime.approve(fresh.gateId, old)).rejects.toMatchObject({ code: 'grant_stale' });
    expect(await bench.runtime.approve(...yes(fresh))).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches.at(-1)).toMatchObject({ tool: 'pay', args: { amount: 40 } });
    expect(await bench.journal.gates({ session: runId })).toMatchObject([
      { status: 'withdrawn' },
      { status: 'approved' },
    ]);
    await bench.runtime.records.replay(runId);
  });

  test('are rejected if they break the input schema, and the gate stays unchanged', async () => {
    const { bench, gate, runId } = await waiting(PAY);
    const [gateId, answer] = yes(gate);
    const edit = bench.runtime.gates.edit(gateId, { ...answer, parameters: { amount: 501 } });
    await expect(edit).rejects.toMatchObject({
      code: 'argument_invalid',
      path: '/amount',
      message: expect.stringMatching(/^the edited argument amount: /),
    });
    expect(await bench.runtime.sessions.get(runId)).toMatchObject({ pending: [gate] });
    expect(await bench.runtime.approve(...yes(gate))).toMatchObject({ terminalCode: 'SUCCESS' });
  });

  test('escalate at the third edit', async () => {
    const { bench, gate } = await waiting(PAY);
    let open = gate;
    for (const amount of [1, 2]) {
      const [gateId, answer] = yes(open);
      open = gateOf(await bench.runtime.gates.edit(gateId, { ...answer, parameters: { amount } }));
    }
    const [gateId, answer] = yes(open);
    const third = await bench.runtime.gates.edit(gateId, { ...answer, parameters: { amount: 3 } });
    expect(third).toMatchObject({ status: 'paused', pending: [], reason: 'gate_unsettled' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
  });

  test('cannot be approved by their editor under separation of duties', async () => {
    const { bench, gate } = await waiting({
      ...PAY,
      world: { policy: { gates: { GATE_FINANCE: { separation: true } } } },
    });
    const [gateId, answer] = yes(gate);
    const fresh = gateOf(await bench.runtime.gates.edit(gateId, { ...answer, parameters: { amount: 40 } }));
    await expect(bench.runtime.approve(...yes(fresh))).rejects.toMatchObject({ code: 'permission_denied' });
    const other = { packetHash: fresh.packetHash, credential: operator('lead_2'), reason: 'seen' };
    expect(await bench.runtime.approve(fresh.gateId, other)).toMatchObject({ terminalCode: 'SUCCESS' });
  });
});

const MANY = ['GATE_A', 'GATE_B', 'GATE_C', 'GATE_D'];

test('accepts concurrent decisions of several gates of one call, in any order', async () => {
  const bench = rig({
    tools: { wipe: { approval_mode: 'destructive', side_effect: true, gates: MANY, produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'wipe', requires: MANY }])],
  });
  const { pending, runId } = await bench.invoke();
  await Promise.all(pending.toReversed().map((gate) => bench.runtime.approve(...yes(gate))));
  expect(await bench.runtime.sessions.get(runId)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(1);
});

test('shows a plan with a dry run of each call', async () => {
  const { bench, gate } = await waiting({ ...PAY, options: { graph: 'supervised' } });
  const packet = parse(PlanPacket, await bench.runtime.gates.packet(gate.packetHash), 'packet_incomplete');
  expect(packet.dry_run).toMatchObject({
    calls: [
      { n: 1, action: 'look', approval_mode: 'read_only', gates: [], side_effect: false },
      { n: 2, action: 'pay', gates: ['GATE_FINANCE'], blast_radius: 'One payment.', side_effect: true },
    ],
    side_effects: 1,
    approvals: 1,
  });
});
