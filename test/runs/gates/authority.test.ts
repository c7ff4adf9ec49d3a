/** Tests that payments and messages leave only after the responsible people have approved exactly these. */
import { expect } from 'vitest';
import { ApprovalPacket } from '../../../src/model/gate/approval-packet.ts';
import { parse } from '../../../src/model/json/parse.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const buying = (changes: Partial<RigOptions> = {}): Rig =>
  rig({
    tools: {
      buy: {
        approval_mode: 'destructive',
        side_effect: true,
        category: 'payment',
        gates: ['GATE_PROCUREMENT'],
        cost: { ...NO_COST, microusd: 2_000_000 },
        produces: ['done'],
      },
    },
    plans: [planOf([{ id: 's1', tool: 'buy', params: { item: 'disk' }, requires: ['GATE_PROCUREMENT'] }])],
    agent: (agent) => ({
      ...agent,
      boundary: { ...agent.boundary, escalation_paths: ['manager', ...agent.boundary.escalation_paths] },
    }),
    world: { policy: { gates: { GATE_PROCUREMENT: { roles: ['manager'], quorum: 2 } } } },
    ...changes,
  });

verifies(
  'escalate:financial:chain-and-budget-confirmed',
  'freezes a payment until the complete approval chain has approved it and the budget covers it',
  async () => {
    const bench = buying();
    const { pending, runId } = await bench.invoke();
    const { gateId = '', packetHash = '' } = pending[0] ?? {};
    const packet = parse(ApprovalPacket, await bench.runtime.gates.packet(packetHash), 'packet_incomplete');
    expect(packet).toMatchObject({ requested_from: 'manager', cost: { microusd: 2_000_000 } });
    const yes = (name: string, role: string): Promise<unknown> =>
      bench.runtime.approve(gateId, { packetHash, credential: operator(name, [role]), reason: 'needed' });
    await expect(yes('eve', 'support')).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await yes('ana', 'manager')).toMatchObject({ status: 'awaiting_gate' });
    expect(bench.dispatches).toEqual([]);
    expect(await yes('bob', 'manager')).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches).toHaveLength(1);
    await bench.runtime.records.replay(runId);

    const poor = buying({ caps: { ...CAPS, inference_cost_usd_max: 1 } });
    expect(await poor.invoke()).toMatchObject({ pending: [], suspended: { code: 'BUDGET_EXHAUSTED' } });
    expect(poor.dispatches).toEqual([]);
  },
);

verifies(
  'escalate:communication:draft-until-approved',
  'stores a message as a draft until it is approved, then sends it once',
  async () => {
    const bench = rig({
      tools: {
        send: {
          approval_mode: 'network',
          side_effect: true,
          category: 'email_calendar',
          gates: ['GATE_OUTBOUND'],
          produces: ['done'],
        },
      },
      plans: [
        planOf([
          { id: 's1', tool: 'send', params: { to: 'ana@example.com', body: 'Hello' }, requires: ['GATE_OUTBOUND'] },
        ]),
      ],
    });
    const { pending, reason } = await bench.invoke();
    const { gateId = '', packetHash = '' } = pending[0] ?? { gateId: reason ?? '' };
    const draft = parse(ApprovalPacket, await bench.runtime.gates.packet(packetHash), 'packet_incomplete');
    expect(draft).toMatchObject({
      action: 'send',
      parameters: { to: 'ana@example.com', body: 'Hello' },
      requested_from: 'user',
    });
    expect(bench.dispatches).toEqual([]);
    const answer = { packetHash, credential: operator('lead_1'), reason: 'fine' };
    expect(await bench.runtime.approve(gateId, answer)).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches).toMatchObject([{ args: { to: 'ana@example.com', body: 'Hello' } }]);
  },
);
