import { equal } from 'node:assert/strict';
import { DECISION, operator, planOf, type Rig, rig } from '../../runs/rig.ts';
import { type Attack, attack, type Battery } from '../battery.ts';
import { forgedApproval } from './forged-approvals.ts';
import { forgedDecisions } from './forged-decisions.ts';
import { forgedRows } from './forged-rows.ts';

/** A run whose payment waits at its gate. */
async function waitingPayment(): Promise<{ readonly bench: Rig; readonly gateId: string; readonly hash: string }> {
  const bench = rig({
    tools: {
      pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] },
    },
    plans: [planOf([{ id: 's1', tool: 'pay', params: { amount: 5 }, requires: ['GATE_A'] }])],
    options: { decisions: [DECISION] },
  });
  const [gate] = (await bench.invoke()).pending;
  return { bench, gateId: gate?.gateId ?? '', hash: gate?.packetHash ?? '' };
}

const JUNK_HASHES = ['', 'sha256:0', `sha256:${'0'.repeat(64)}`, ' ', '*', 'undefined', '__proto__'];

const otherPackets: Attack = {
  name: 'a yes for another packet pays nothing',
  run: async ({ refuses, attempt }) => {
    const { bench, gateId } = await waitingPayment();
    for (const packetHash of JUNK_HASHES) {
      await refuses(JSON.stringify(packetHash), () =>
        bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('bo'), reason: 'yes' })),
      );
    }
    await attempt('no call was dispatched', () => equal(bench.dispatches.length, 0));
  },
};

export const approvals: Battery = {
  name: 'approvals',
  attacks: [
    otherPackets,
    forgedApproval,
    forgedDecisions,
    forgedRows,
    attack('the same yes twice pays once', async () => {
      const { bench, gateId, hash } = await waitingPayment();
      const yes = { packetHash: hash, credential: operator('bo'), reason: 'yes' };
      await bench.settle(Promise.allSettled([bench.runtime.approve(gateId, yes), bench.runtime.approve(gateId, yes)]));
      equal(bench.dispatches.length, 1);
    }),
  ],
};
