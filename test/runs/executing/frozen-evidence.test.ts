/** Tests that a call runs with the values its approver saw, even if the data has changed since. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { address } from '../../../src/model/json/hash.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, rig } from '../rig.ts';

verifies(
  'approval:evidence:frozen-snapshot',
  'call and record use the evidence frozen when the call was proposed',
  async () => {
    const account = { balance: 100 };
    const bench = rig({
      tools: {
        look: {
          execute: () => ({ ...account }),
          output_schema: { type: 'object', properties: { balance: { type: 'integer' } }, required: ['balance'] },
          produces: ['account'],
        },
        sweep: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'], produces: ['done'] },
      },
      plans: [
        planOf([
          { id: 's1', tool: 'look' },
          {
            id: 's2',
            tool: 'sweep',
            params: { amount: { $from: 's1', path: '/balance' } },
            requires: ['GATE_OWNER'],
            depends_on: ['s1'],
          },
        ]),
      ],
    });
    const waiting = await bench.invoke();
    const { gateId, packetHash } = waiting.pending[0] ?? { gateId: '', packetHash: '' };
    const shown = await bench.runtime.gates.packet(packetHash);
    const seen = { evidence_id: 'ev_1', source: 'look', address: address(sha256, { balance: 100 }) };
    expect(shown).toMatchObject({
      parameters: { amount: 100 },
      evidence: [seen],
      evidence_hash: address(sha256, [seen]),
    });

    account.balance = 9_000;
    const done = await bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'fine' });
    expect(bench.dispatches.at(-1)).toMatchObject({ tool: 'sweep', args: { amount: 100 } });
    expect(bench.dispatches).toHaveLength(2);
    const sent = (await bench.events(done.runId)).flatMap((event) => (event.type === 'step_cleared' ? [event] : []));
    expect(sent.at(-1)?.args_hash).toBe(shown['args_hash']);
    expect(done.record?.approvals).toMatchObject([{ step_id: 's2', packet_hash: packetHash }]);
    expect(await bench.runtime.gates.packet(done.record?.approvals[0]?.packet_hash ?? '')).toEqual(shown);
  },
);
